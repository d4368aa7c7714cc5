import { z } from 'zod'

import { quantile } from '#scoring/metrics/clv/summarize.ts'

import type { Cell, Ranked } from './measures.ts'
import type { Evidence } from './report.ts'

/** The selects of this folder by their instant: T, or the end of the period that `core.period` begins. */
export const selects = { before: ['ranks', 'funnel', 'guards'], after: ['clusters', 'returns', 'reach'] } as const
/** The rows of the selects; numbers may be texts. */
export type Rows = Record<(typeof selects)['before' | 'after'][number], unknown>

/** Joins the ranks of T with later results, trader by trader. */
export function evidenceOf(rows: Rows, period: { at: string; until: string; world: string }): Evidence {
  const { ranks, funnel, guards, clusters, returns, reach } = shapes.parse(rows)
  const keys = [...new Set(clusters.map(keyOf))].sort()
  const places = new Map(keys.map((key, place) => [key, place]))
  const clustersByTrader = new Map<string, typeof clusters>()
  for (const each of clusters) {
    const key = `${each.trader} ${each.kind}`
    const traderClusters = clustersByTrader.get(key)
    if (traderClusters === undefined) clustersByTrader.set(key, [each])
    else traderClusters.push(each)
  }
  const roi = new Map(returns.map(({ trader, cost_usd, pnl_usd }) => [trader, pnl_usd / cost_usd]))
  const traders = ranks.map((row): Ranked => {
    const traderClusters = clustersByTrader.get(`${row.trader} ${row.clv_kind}`) ?? []
    const cells = (figure: 'payout' | 'clv'): Cell[] =>
      capped(
        traderClusters.flatMap((each) => {
          const [points, weight] = [each[`${figure}_points`], each[`${figure}_risk_usd`]]
          return points === null || weight === 0 ? [] : [{ cluster: places.get(keyOf(each)) ?? 0, points, weight }]
        }),
      )
    return {
      trader: row.trader,
      kind: row.clv_kind,
      isTaker: row.role === 'taker',
      scores: {
        clv: row.clv_points,
        raw_clv: row.raw_points,
        payout: row.shrunk_payout_points,
        roi: row.shrunk_roi,
        pnl: row.pnl_usd,
        win_rate: row.win_rate,
      },
      payout: cells('payout'),
      clv: cells('clv'),
      roi: roi.get(row.trader) ?? null,
    }
  })
  // Ordered by address, so that a seed draws the same traders in every run.
  traders.sort((a, b) => (a.trader < b.trader ? -1 : 1))
  return {
    ...period,
    funnel: funnel[0],
    reach: reach[0],
    guards: guards.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    traders,
  }
}

const keyOf = ({ category, day }: { category: string; day: string }): string => `${category} ${day}`

/** No cluster weighs more than the 95th percentile of the trader's own, as in the score. */
function capped(cells: Cell[]): Cell[] {
  const cap = quantile(
    cells.map(({ weight }) => weight),
    0.95,
  )
  return cells
    .map((cell) => ({ ...cell, weight: Math.min(cell.weight, cap) }))
    .toSorted((a, b) => a.cluster - b.cluster)
}

const number = z.coerce.number()
const unknown = z.union([z.null(), number])
const text = z.string()
const shapes = z.object({
  ranks: z.array(
    z.object({
      trader: text,
      role: text,
      clv_kind: text,
      clv_points: number,
      raw_points: number,
      shrunk_payout_points: number,
      shrunk_roi: number,
      pnl_usd: number,
      win_rate: number,
    }),
  ),
  guards: z.array(z.object({ kind: text, state: text, reason: z.union([z.null(), text]) })),
  funnel: z.tuple([z.object({ n_known: number, n_complete: number, n_proven: number, n_scored: number })]),
  clusters: z.array(
    z.object({
      trader: text,
      kind: text,
      category: text,
      day: text,
      payout_risk_usd: number,
      payout_points: unknown,
      clv_risk_usd: number,
      clv_points: unknown,
    }),
  ),
  returns: z.array(z.object({ trader: text, cost_usd: number, pnl_usd: number })),
  reach: z.tuple([z.object({ n_markets: number, n_covered: number })]),
})
