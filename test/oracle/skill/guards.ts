import type { Closed, Inputs, Market } from './inputs.ts'
import { kinds, type Kind } from './samples.ts'

export type Guard = Figures & {
  kind: Kind
  state: 'broken' | 'unknown' | 'warning' | 'held'
  is_held: boolean | null
  broken_at: number | null
}
type Figures = {
  n_markets: number
  n_clusters: number
  gap: number
  se: number
  slope: number | null
  slope_se: number | null
  extreme_share: number
}

/** A market's first close, its payout, and the days of news between them. */
type Row = { c: number; y: number; days: number[]; category: string; knownAt: number }

const hour = 3_600e6
const day = 24 * hour
const gapBound = 0.02
const slopeBound = 0.15
const extremeBound = 0.15

/** The guards of both kinds at the clock, by what they were at the Mondays before. */
export function guardsOf({ at, closed, markets }: Inputs): Guard[] {
  // 1970-01-05 was a Monday.
  const monday = Math.floor((at - 4 * day) / (7 * day)) * 7 * day + 4 * day
  const instants = [...Array.from({ length: 12 }, (_, i) => monday - (11 - i) * 7 * day), at]
  return kinds.flatMap((kind): Guard[] => {
    const rows = rowsOf(
      closed.filter((row) => row.kind === kind),
      markets,
      at,
    )
    let [brokeAt, mendedAt] = [-Infinity, -Infinity]
    for (const instant of instants) {
      const figures = figuresOf(rows.filter(({ knownAt }) => knownAt <= instant))
      if (figures === null) continue
      if (breaks(figures)) brokeAt = instant
      if (mends(figures)) mendedAt = instant
    }
    const figures = figuresOf(rows.filter(({ knownAt }) => knownAt <= at))
    if (figures === null) return []
    const state =
      brokeAt > mendedAt ? 'broken' : figures.n_markets < 200 ? 'unknown' : warns(figures) ? 'warning' : 'held'
    const is_held = state === 'broken' ? false : state === 'unknown' ? null : true
    return [{ kind, ...figures, state, is_held, broken_at: Number.isFinite(brokeAt) ? brokeAt : null }]
  })
}

function rowsOf(closed: readonly Closed[], markets: ReadonlyMap<string, Market>, at: number): Row[] {
  const firsts = new Map<string, Closed>()
  for (const row of closed) {
    const market = markets.get(row.market)
    if (!row.isScored || row.isResolved || market === undefined || market.payout === null) continue
    if (market.n_outcomes > 2 && row.outcome !== 0) continue
    const first = firsts.get(row.market)
    if (first === undefined || isBefore(row, first)) firsts.set(row.market, row)
  }
  return [...firsts.values()].flatMap((row) => {
    const market = markets.get(row.market)
    const [resolvedAt, payout] = [market?.resolvedAt ?? null, market?.payout ?? null]
    if (resolvedAt === null || payout === null || resolvedAt > at || row.closeAt === null || row.close === null)
      return []
    const from = Math.floor(row.closeAt / day)
    const to = resolvedAt < row.closeAt ? from : Math.floor(resolvedAt / day)
    const closeKnownAt = row.kind === 'event_start' ? row.closeAt : row.closeAt + hour
    return [
      {
        c: row.outcome === 1 ? 1 - row.close : row.close,
        y: payout,
        days: Array.from({ length: to - from + 1 }, (_, i) => from + i),
        category: row.category,
        knownAt: Math.max(resolvedAt, closeKnownAt),
      },
    ]
  })
}

function isBefore(a: Closed, b: Closed): boolean {
  if (a.ts !== b.ts) return a.ts < b.ts
  if (a.trader !== b.trader) return a.trader < b.trader
  return a.outcome === b.outcome ? a.side < b.side : a.outcome < b.outcome
}

function figuresOf(rows: readonly Row[]): Figures | null {
  const n = rows.length
  if (n === 0) return null
  const sum = (term: (row: Row) => number): number => rows.reduce((total, row) => total + term(row), 0)
  const gap = sum(({ y, c }) => y - c) / n
  const [meanC, meanY] = [sum(({ c }) => c) / n, sum(({ y }) => y) / n]
  const squares = sum(({ c }) => (c - meanC) ** 2)
  const gaps = new Map<string, number>()
  const slopes = new Map<string, number>()
  for (const { y, c, days, category } of rows) {
    for (const date of days) {
      const key = `${category} ${date}`
      gaps.set(key, (gaps.get(key) ?? 0) + (y - c) / Math.sqrt(days.length))
      slopes.set(key, (slopes.get(key) ?? 0) + ((c - meanC) * (y - c - gap)) / Math.sqrt(days.length))
    }
  }
  const root = (values: Iterable<number>): number => Math.sqrt([...values].reduce((total, x) => total + x ** 2, 0))
  const isFlat = squares <= 1e-9
  return {
    n_markets: n,
    n_clusters: gaps.size,
    gap,
    se: root(gaps.values()) / n,
    slope: isFlat ? null : sum(({ y, c }) => (c - meanC) * (y - meanY)) / squares,
    slope_se: isFlat ? null : root(slopes.values()) / squares,
    extreme_share: sum(({ c }) => (c < 0.03 || c > 0.97 ? 1 : 0)) / n,
  }
}

/** How far a slope is from 1; a slope that is null is not. */
const tilt = ({ slope }: Figures): number => (slope === null ? 0 : Math.abs(slope - 1))

function breaks(figures: Figures): boolean {
  const { n_markets, gap, se, slope_se, extreme_share } = figures
  const isBiased = Math.abs(gap) - 3.29 * se > gapBound || tilt(figures) - 3.29 * (slope_se ?? 0) > slopeBound
  return (n_markets >= 200 && isBiased) || (n_markets >= 20 && extreme_share > extremeBound)
}

function mends(figures: Figures): boolean {
  const { n_markets, gap, extreme_share } = figures
  const isSmall = Math.abs(gap) <= (gapBound * 2) / 3 && tilt(figures) <= (slopeBound * 2) / 3
  return n_markets >= 200 && isSmall && extreme_share <= (extremeBound * 2) / 3
}

function warns(figures: Figures): boolean {
  const { gap, se, slope_se, extreme_share } = figures
  const isGap = Math.abs(gap) > gapBound / 2 && Math.abs(gap) > 1.96 * se
  const isTilted = tilt(figures) > slopeBound / 2 && tilt(figures) > 1.96 * (slope_se ?? 0)
  return isGap || isTilted || extreme_share > extremeBound / 2
}
