import type { Micros } from '#time.ts'

import type { Kind, Market, ScoredFill } from './closes.ts'

/*
 * Read from the specification, where it leaves something open:
 *  1. The first fill of a market, by its time, with a close that counts and is not that of a resolution. At one instant
 *     the trader's name, the outcome and the side decide.
 *  2. A close of outcome 1 of two is one of outcome 0. Of more outcomes only fills of outcome 0 count.
 *  3. The error of a market, if gap and slope were 0 and 1, is spread evenly over the UTC days from its close to its
 *     resolution, and added up by category and day. With fewer than 200 markets nothing is known. Where the closes do
 *     not differ there is no slope, and that part holds.
 *  4. A markout is known an hour after its close, a start at it; a market from then and its resolution on.
 *  5. A guard breaks and mends at the clock and at 12 Mondays. What broke last is broken until it mends.
 */

/** The guards of the closes again, written from their specification alone. A kind without a market has none. */
export function guardsOf(fills: ScoredFill[], markets: Market[], as_of: Micros): Guard[] {
  const known = fills.filter((each) => each.left_out === null && !each.is_resolved)
  return (['event_start', 'markout_24h'] as const).flatMap((kind) => {
    const points = markets
      .toSorted((a, b) => byCodeUnit(a.market, b.market))
      .flatMap((market) => firstOf(kind, known, market))
    return points.length === 0 ? [] : [guardOf(kind, points, as_of)]
  })
}

export type Guard = {
  kind: Kind
  n_markets: number
  gap: number | null
  gap_se: number | null
  slope: number | null
  slope_se: number | null
  extreme_share: number | null
  state: 'held' | 'warning' | 'broken' | 'unknown'
  is_held: boolean | null
  broken_at: Micros | null
}

/** `days`: the category with each UTC day from the close to the resolution. */
type Point = { days: string[]; close: number; won: number; known_at: Micros }

const week = 7 * 86_400_000_000
/** The first Monday of the count of microseconds. */
const monday = 4 * 86_400_000_000

function guardOf(kind: Kind, points: Point[], as_of: Micros): Guard {
  const last = monday + Math.floor((as_of - monday) / week) * week
  const instants = [as_of, ...Array.from({ length: 12 }, (_, i) => last - i * week)]
  const judged = instants.map((at) => ({ at, ...judge(points.filter(({ known_at }) => known_at <= at)) }))
  const broke = Math.max(-Infinity, ...judged.filter(({ isBreaking }) => isBreaking).map(({ at }) => at))
  const mended = Math.max(-Infinity, ...judged.filter(({ isMending }) => isMending).map(({ at }) => at))
  const isBroken = broke > mended
  const { figures, isWarning } = judge(points)
  const state = isBroken ? 'broken' : points.length < 200 ? 'unknown' : isWarning ? 'warning' : 'held'
  const is_held = state === 'unknown' ? null : state !== 'broken'
  return { kind, ...figures, state, is_held, broken_at: isBroken ? broke : null }
}

function judge(points: Point[]) {
  const n = points.length
  const n_extreme = points.filter(({ close }) => close < 0.03 || close > 0.97).length
  const extreme_share = n === 0 ? null : n_extreme / n
  const extreme = extreme_share ?? 0
  const figures = { n_markets: n, ...regression(points), extreme_share }
  const offs = [
    { off: Math.abs(figures.gap ?? 0), se: figures.gap_se ?? 0, bound: 0.02 },
    { off: Math.abs((figures.slope ?? 1) - 1), se: figures.slope_se ?? 0, bound: 0.15 },
  ]
  return {
    figures,
    isBreaking: (n >= 200 && offs.some(({ off, se, bound }) => off - 3.29 * se > bound)) || (n >= 20 && extreme > 0.15),
    isMending: n >= 200 && offs.every(({ off, bound }) => off <= (bound * 2) / 3) && extreme <= 0.1,
    isWarning: offs.some(({ off, se, bound }) => off > bound / 2 && off > 1.96 * se) || extreme > 0.075,
  }
}

function firstOf(kind: Kind, fills: ScoredFill[], { market, n_outcomes, resolved_at, payout }: Market): Point[] {
  if (resolved_at === null) return []
  const own = fills.filter(
    (each) => each.fill.market === market && each.kind === kind && (each.fill.outcome === 0 || n_outcomes === 2),
  )
  const [first] = own.toSorted(
    (a, b) =>
      a.fill.ts - b.fill.ts ||
      byCodeUnit(a.fill.trader, b.fill.trader) ||
      a.fill.outcome - b.fill.outcome ||
      byCodeUnit(a.fill.side, b.fill.side),
  )
  if (first === undefined || first.close === null) return []
  const { fill, category, close_at } = first
  const close = Number(fill.outcome === 1 ? 1_000_000n - first.close : first.close) / 1e6
  const first_day = dayOf(close_at)
  const n_days = Math.max(0, dayOf(resolved_at) - first_day) + 1
  const days = Array.from({ length: n_days }, (_, i) => `${category} ${first_day + i}`)
  const seen_at = kind === 'event_start' ? close_at : close_at + 3_600_000_000
  return [{ days, close, won: Number(payout) / 1e6, known_at: Math.max(resolved_at, seen_at) }]
}

type Regression = { gap: number | null; gap_se: number | null; slope: number | null; slope_se: number | null }

function regression(points: Point[]): Regression {
  if (points.length === 0) return { gap: null, gap_se: null, slope: null, slope_se: null }
  const n = points.length
  const close = sum(points.map((each) => each.close)) / n
  const won = sum(points.map((each) => each.won)) / n
  const spread = sum(points.map((each) => (each.close - close) ** 2))
  const gap = won - close
  const gap_se = spreadError(points, (each) => each.won - each.close, n)
  if (spread < 1e-9) return { gap, gap_se, slope: null, slope_se: null }
  const slope = sum(points.map((each) => (each.close - close) * (each.won - won))) / spread
  const slope_se = spreadError(points, (each) => (each.close - close) * (each.won - each.close - gap), spread)
  return { gap, gap_se, slope, slope_se }
}

/** The error of a mean of terms over a scale: each term lies evenly on its days, those of one day are added up. */
function spreadError(points: Point[], term: (point: Point) => number, scale: number): number {
  const sums = new Map<string, number>()
  for (const each of points)
    for (const day of each.days) sums.set(day, (sums.get(day) ?? 0) + term(each) / Math.sqrt(each.days.length))
  return Math.sqrt(sum([...sums.values()].map((each) => each ** 2))) / scale
}

const dayOf = (ts: Micros): number => Math.floor(ts / 86_400_000_000)
const sum = (terms: number[]): number => terms.reduce((total, term) => total + term, 0)
const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
