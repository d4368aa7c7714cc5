import { z } from 'zod'

import type { Ranked } from './measures.ts'
import type { Evidence } from './report.ts'

/** The selects of this folder by their instant: T, or the end of the period that `core.period` begins. */
export const selects = { before: ['ranks', 'funnel'], after: ['realized_clv', 'returns', 'reach'] } as const
/** The rows of the selects; numbers may be texts. */
export type Rows = Record<(typeof selects)['before' | 'after'][number], unknown>

/** Joins the ranks of T with later results, trader by trader. */
export function evidenceOf(rows: Rows, period: { at: string; until: string }): Evidence {
  const { ranks, funnel, realized_clv, returns, reach } = shapes.parse(rows)
  const realized = new Map(realized_clv.map((row) => [`${row.trader} ${row.kind}`, row.realized_points]))
  const roi = new Map(returns.map(({ trader, cost_usd, pnl_usd }) => [trader, pnl_usd / cost_usd]))
  const traders = ranks.map(({ trader, clv_kind: kind, clv_points, pnl_usd, win_rate }): Ranked => ({
    trader,
    kind,
    scores: { clv: clv_points, pnl: pnl_usd, win_rate },
    realized_points: realized.get(`${trader} ${kind}`) ?? null,
    roi: roi.get(trader) ?? null,
  }))
  // Ordered by address, so that a seed draws the same traders in every run.
  traders.sort((a, b) => (a.trader < b.trader ? -1 : 1))
  return { ...period, funnel: funnel[0], reach: reach[0], traders }
}

const number = z.coerce.number()
const text = z.string()
const shapes = z.object({
  ranks: z.array(z.object({ trader: text, clv_kind: text, clv_points: number, pnl_usd: number, win_rate: number })),
  funnel: z.tuple([z.object({ n_known: number, n_complete: number, n_proven: number, n_scored: number })]),
  realized_clv: z.array(z.object({ trader: text, kind: text, realized_points: number })),
  returns: z.array(z.object({ trader: text, cost_usd: number, pnl_usd: number })),
  reach: z.tuple([z.object({ n_markets: number, n_covered: number })]),
})
