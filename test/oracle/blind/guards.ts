import type { ClvFill, Kind } from './fills.ts'
import { dayOf, grouped, sumOf } from './numbers.ts'
import type { Rules } from './rules.ts'

export type Guard = Figures & {
  kind: Kind
  state: 'held' | 'warning' | 'broken' | 'unknown'
  is_held: boolean | null
  broken_at: number | null
}

/** A market's close and payout, the categories and days between them, and the instant from which both are known. */
type Tested = { close: number; payout: number; places: string[]; knownAt: number }

const week = 604_800_000_000
/** 1970-01-05 was a Monday. */
const firstMonday = 345_600_000_000

/** Tests whether closes are unbiased, with one fill a market. */
export function guardsOf(fills: readonly ClvFill[], at: number, rules: Rules): Guard[] {
  const candidates = fills
    .filter(({ leftOut, isResolved }) => leftOut === null && !isResolved)
    .filter(({ fill: { market } }) => market.resolvedAt !== null && market.payouts !== null)
    .filter(({ fill: { market, outcome } }) => market.tokenIds.length === 2 || outcome === 0)
    .toSorted(inOrder)
  const monday = firstMonday + week * Math.floor((at - firstMonday) / week)
  const instants = [...Array.from({ length: 12 }, (_, n) => monday - (11 - n) * week), at]
  return (['event_start', 'markout_24h'] as const).flatMap((kind) => {
    const markets = firsts(candidates.filter((one) => one.kind === kind)).map((one) => tested(one, rules))
    const [figures] = figuresOf(markets)
    if (figures === undefined) return []
    let brokenAt: number | null = null
    for (const instant of instants) {
      for (const known of figuresOf(markets.filter(({ knownAt }) => knownAt <= instant))) {
        if (isBreaking(known)) brokenAt = instant
        else if (isMending(known)) brokenAt = null
      }
    }
    const state = brokenAt !== null ? 'broken' : stateOf(figures)
    return [{ kind, ...figures, state, is_held: state === 'unknown' ? null : state !== 'broken', broken_at: brokenAt }]
  })
}

/** By instant, trader, outcome and side. */
function inOrder({ fill: a }: ClvFill, { fill: b }: ClvFill): number {
  if (a.ts !== b.ts) return a.ts - b.ts
  if (a.trader !== b.trader) return a.trader < b.trader ? -1 : 1
  return a.outcome - b.outcome || (a.side < b.side ? -1 : 1)
}

const firsts = (fills: readonly ClvFill[]): ClvFill[] =>
  [...grouped(fills, ({ fill }) => fill.market.id).values()].flatMap((own) => own.slice(0, 1))

/** The closing price and the payout of outcome 0. */
function tested({ fill, kind, closeAt, closePrice }: ClvFill, { guardNews }: Rules): Tested {
  const { market, outcome } = fill
  const [from, to] = [dayOf(closeAt), dayOf(market.resolvedAt ?? 0)]
  const n_days = guardNews === 'close' ? 1 : Math.max(1, to - from + 1)
  const close = closePrice ?? 0
  return {
    close: (outcome === 1 ? 1_000_000 - close : close) / 1e6,
    payout: (market.payouts?.[0] ?? 0) / 1e6,
    places: Array.from({ length: n_days }, (_, day) => `${market.category} ${from + day}`),
    knownAt: Math.max(market.resolvedAt ?? 0, kind === 'markout_24h' ? closeAt + 3_600_000_000 : closeAt),
  }
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

function figuresOf(markets: readonly Tested[]): Figures[] {
  const n = markets.length
  if (n === 0) return []
  const gap = sumOf(markets, ({ close, payout }) => payout - close) / n
  const [x, y] = [sumOf(markets, ({ close }) => close) / n, sumOf(markets, ({ payout }) => payout) / n]
  const across = sumOf(markets, ({ close }) => (close - x) ** 2)
  const spreadOf = (of: (market: Tested) => number): number => {
    const sums = new Map<string, number>()
    for (const market of markets) {
      for (const place of market.places) {
        sums.set(place, (sums.get(place) ?? 0) + of(market) / Math.sqrt(market.places.length))
      }
    }
    return Math.sqrt(sumOf(sums.values(), (sum) => sum ** 2))
  }
  const hasSlope = across > 1e-9
  const n_extreme = markets.filter(({ close }) => close < 0.03 || close > 0.97).length
  return [
    {
      n_markets: n,
      n_clusters: new Set(markets.flatMap(({ places }) => places)).size,
      gap,
      se: spreadOf(({ close, payout }) => payout - close) / n,
      slope: hasSlope ? sumOf(markets, ({ close, payout }) => (close - x) * (payout - y)) / across : null,
      slope_se: hasSlope ? spreadOf(({ close, payout }) => (close - x) * (payout - close - gap)) / across : null,
      extreme_share: n_extreme / n,
    },
  ]
}

/** How far a guard's figures are off, beside their bounds. */
const offOf = ({ gap, se, slope, slope_se }: Figures) => [
  { off: Math.abs(gap), se, bound: 0.02 },
  { off: slope === null ? 0 : Math.abs(slope - 1), se: slope_se ?? 0, bound: 0.15 },
]

function isBreaking(figures: Figures): boolean {
  const { n_markets, extreme_share } = figures
  if (n_markets >= 20 && extreme_share > 0.15) return true
  if (n_markets < 200) return false
  return offOf(figures).some(({ off, se, bound }) => off - 3.29 * se > bound)
}

const isMending = (figures: Figures): boolean =>
  figures.n_markets >= 200 &&
  figures.extreme_share <= 0.1 &&
  offOf(figures).every(({ off, bound }) => off <= (bound * 2) / 3)

function stateOf(figures: Figures): 'held' | 'warning' | 'unknown' {
  if (figures.n_markets < 200) return 'unknown'
  const isOff = offOf(figures).some(({ off, se, bound }) => off > bound / 2 && off > 1.96 * se)
  return isOff || figures.extreme_share > 0.075 ? 'warning' : 'held'
}
