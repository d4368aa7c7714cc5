import { z } from 'zod'

import { openFilled } from '#ingest/lost_columns.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { ReadContext, RejectedRow } from '#ingest/source.ts'
import type { Micros } from '#time.ts'

import {
  describeMarket,
  isCombo,
  resolutionOf,
  settledMarket,
  unknownTerms,
  usualFields,
  type KalshiMarket,
} from './market_rows.ts'

type List = { path: string; shape?: typeof settledMarket }

/** A list of settled markets. */
export type SettledList = {
  rejected: RejectedRow[]
  /** Takes a page. Its markets are parsed again in the end, since a later page may show one of them anew. */
  add: (page: readonly unknown[]) => Promise<void>
  /** The fields that no row of three has, although each recorded one has them. */
  absent: () => string[]
  /** Gives the markets to the lake, each as it is listed last, with its payout. Returns their number. */
  end: (isWanted?: (ts: Micros) => boolean) => Promise<number>
}

/** Collects settled markets for the lake, each once. A description holds from the settlement on. */
export function openSettled(
  { bodies, keepRows }: Pick<ReadContext, 'bodies' | 'keepRows'>,
  { path, shape = settledMarket }: List,
): SettledList {
  const rejected: RejectedRow[] = []
  const filled = openFilled(usualFields, 3)
  return {
    rejected,
    add: async (page) => {
      for (const body of page) {
        const markets = parseRows([body], shape, { dataset: 'resolutions', path, rejected })
        filled.add(markets)
        const settled = markets.filter((market) => !isCombo(market))
        await bodies.keep(settled.map(({ ticker: key }) => ({ key, body })))
      }
    },
    absent: filled.absent,
    end: async (isWanted = () => true) => {
      let n_kept = 0
      const keep = async (markets: readonly KalshiMarket[]): Promise<void> => {
        const settled = markets.flatMap((market) => {
          const resolution = resolutionOf(market)
          return resolution === null || !isWanted(resolution.ts) ? [] : [{ market, resolution }]
        })
        n_kept += settled.length
        await keepRows(
          'markets',
          settled.map(({ market, resolution }) => describeMarket(market, unknownTerms, resolution.ts)),
        )
        await keepRows(
          'resolutions',
          settled.map(({ resolution }) => resolution),
        )
      }
      let before: KalshiMarket | undefined
      for await (const some of bodies.byKey()) {
        const last: KalshiMarket[] = []
        for (const { body } of some) {
          const market = shape.parse(body)
          if (before !== undefined && before.ticker !== market.ticker) last.push(before)
          before = market
        }
        await keep(last)
      }
      await keep(before === undefined ? [] : [before])
      return n_kept
    },
  }
}

/** The time of the settlement of a listed market, whether its other fields parse or not; null if it has none. */
export const settledAt = (body: unknown): Micros | null => timed.safeParse(body).data?.settlement_ts ?? null
const timed = z.object({ settlement_ts: isoInstant })
