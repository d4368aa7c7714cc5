import { parseRows } from '#activities/parse/rows.ts'
import type { NewRow, RejectedRow } from '#activities/source.ts'
import type { Micros } from '#time.ts'

import { describeMarket, isCombo, resolutionOf, settledMarket, unknownTerms } from './market_rows.ts'

/** Settled markets for the lake: their descriptions and their payouts. */
export type SettledRows = { markets: NewRow<'markets'>[]; resolutions: NewRow<'resolutions'>[] }

/** Collects settled markets, each once. A description holds from the settlement on. */
export function openSettled({ path, rejected }: { path: string; rejected: RejectedRow[] }): {
  add: (bodies: readonly unknown[]) => void
  rows: (isWanted?: (ts: Micros) => boolean) => SettledRows
} {
  const found = new Map<string, { market: NewRow<'markets'>; resolution: NewRow<'resolutions'> }>()
  return {
    add: (bodies) => {
      for (const market of parseRows(bodies, settledMarket, { dataset: 'resolutions', path, rejected })) {
        const resolution = resolutionOf(market)
        if (resolution === null || isCombo(market)) continue
        found.set(market.ticker, { market: describeMarket(market, unknownTerms, resolution.ts), resolution })
      }
    },
    rows: (isWanted = () => true) => {
      const wanted = [...found.values()].filter(({ resolution }) => isWanted(resolution.ts))
      return {
        markets: wanted.map(({ market }) => market),
        resolutions: wanted.map(({ resolution }) => resolution),
      }
    },
  }
}
