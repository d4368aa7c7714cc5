import { openFilled } from '#activities/ingest/lost_columns.ts'
import { parseRows } from '#activities/parse/rows.ts'
import type { NewRow, RejectedRow } from '#activities/source.ts'
import type { Micros } from '#time.ts'

import { describeMarket, isCombo, resolutionOf, settledMarket, unknownTerms, usualFields } from './market_rows.ts'

/** Settled markets for the lake: their descriptions and their payouts. */
export type SettledRows = { markets: NewRow<'markets'>[]; resolutions: NewRow<'resolutions'>[] }

/** Collects settled markets, each once. A description holds from the settlement on. */
export function openSettled({
  path,
  rejected,
  shape = settledMarket,
}: {
  path: string
  rejected: RejectedRow[]
  shape?: typeof settledMarket
}): {
  add: (bodies: readonly unknown[]) => void
  rows: (isWanted?: (ts: Micros) => boolean) => SettledRows
  /** The fields that no row of three has, although each recorded one has them. */
  absent: () => string[]
} {
  const filled = openFilled(usualFields, 3)
  const found = new Map<string, { market: NewRow<'markets'>; resolution: NewRow<'resolutions'> }>()
  return {
    add: (bodies) => {
      const markets = parseRows(bodies, shape, { dataset: 'resolutions', path, rejected })
      filled.add(markets)
      for (const market of markets) {
        const resolution = resolutionOf(market)
        if (resolution === null || isCombo(market)) continue
        found.set(market.ticker, { market: describeMarket(market, unknownTerms, resolution.ts), resolution })
      }
    },
    absent: filled.absent,
    rows: (isWanted = () => true) => {
      const wanted = [...found.values()].filter(({ resolution }) => isWanted(resolution.ts))
      return {
        markets: wanted.map(({ market }) => market),
        resolutions: wanted.map(({ resolution }) => resolution),
      }
    },
  }
}
