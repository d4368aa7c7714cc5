import type { Micros } from '#time.ts'

import type { Kind, Market, ScoredFill } from './closes.ts'

/*
 * Read from the specification, where it leaves something open:
 *  1. The first fill of a market, by its time, with a close that counts and is not that of a resolution. At one instant
 *     the trader's name, the outcome and the side decide.
 *  2. A close of outcome 1 of two is one of outcome 0. Of more outcomes only fills of outcome 0 count.
 *  3. Among clv > 0 it is the first fill of a trader whose other clusters of all time gained together, and its side of
 *     the bet: a purchase wins what its outcome pays, a sale the rest of 1.
 *  4. The error of a market, if gap and slope were 0 and 1, is spread evenly over the UTC days from its close to its
 *     resolution, and added up by category and day. With fewer than 200 markets nothing is known. Where the closes do
 *     not differ there is no slope, and that part holds.
 *  5. Extreme closes are counted over all, not over those that were beaten. It takes 20 to say that they are too many.
 */

/** The guards of the closes again, written from their specification alone. */
export function guardsOf(fills: ScoredFill[], clusters: Gained[], markets: Market[]): Guard[] {
  const known = fills.filter((each) => each.left_out === null && !each.is_resolved)
  const winning = known.filter((each) => gainElsewhere(each, clusters) > 0n)
  return (['event_start', 'markout_24h'] as const).flatMap((kind) => [
    guardOf(kind, 'all', known, markets),
    guardOf(kind, 'positive', winning, markets),
  ])
}

/** A trader's cluster of all time: `edge` in 1e-24 points, `risk` in millionths of a US dollar. */
type Gained = { trader: string; kind: Kind; category: string; day: number; edge: bigint; risk: bigint }

const gainElsewhere = ({ fill, kind, category, close_at }: ScoredFill, clusters: Gained[]): bigint =>
  clusters
    .filter((each) => each.trader === fill.trader && each.kind === kind)
    .filter((each) => each.category !== category || each.day !== dayOf(close_at))
    .reduce((total, { edge, risk }) => total + edge * risk, 0n)

export type Guard = {
  kind: Kind
  subset: 'all' | 'positive'
  n_markets: number
  gap: number | null
  gap_se: number | null
  slope: number | null
  slope_se: number | null
  extreme_share: number | null
  is_held: boolean | null
}

/** `days`: the category with each UTC day from the close to the resolution. */
type Point = { days: string[]; close: number; won: number }

function guardOf(kind: Kind, subset: Guard['subset'], fills: ScoredFill[], markets: Market[]): Guard {
  const points = markets
    .toSorted((a, b) => byCodeUnit(a.market, b.market))
    .flatMap((market) => firstOf(kind, subset, fills, market))
  const n = points.length
  const n_extreme = points.filter(({ close }) => close < 0.03 || close > 0.97).length
  const extreme_share = n === 0 ? null : n_extreme / n
  const { gap, gap_se, slope, slope_se } = regression(points)
  const isNear = (off: number | null, se: number | null): boolean =>
    off === null || se === null || Math.abs(off) <= 2.58 * se
  const isHeld = isNear(gap, gap_se) && isNear(slope === null ? null : slope - 1, slope_se)
  const isExtreme = subset === 'all' && n >= 20 && (extreme_share ?? 0) > 0.15
  const is_held = isExtreme ? false : n < 200 ? null : isHeld
  return { kind, subset, n_markets: n, gap, gap_se, slope, slope_se, extreme_share, is_held }
}

function firstOf(
  kind: Kind,
  subset: Guard['subset'],
  fills: ScoredFill[],
  { market, n_outcomes, resolved_at, payout }: Market,
): Point[] {
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
  const isTurned = subset === 'all' ? fill.outcome === 1 : fill.side === 'sell'
  const turn = (price: bigint): number => Number(isTurned ? 1_000_000n - price : price) / 1e6
  const close = turn(first.close)
  const own_payout = subset === 'positive' && fill.outcome === 1 ? 1_000_000n - payout : payout
  const won = subset === 'all' ? Number(payout) / 1e6 : turn(own_payout)
  const first_day = dayOf(close_at)
  const n_days = Math.max(0, dayOf(resolved_at) - first_day) + 1
  const days = Array.from({ length: n_days }, (_, i) => `${category} ${first_day + i}`)
  return [{ days, close, won }]
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
