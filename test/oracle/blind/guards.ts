import { clusterOf, type Cluster } from './clusters.ts'
import type { ClvFill, Kind } from './fills.ts'
import { dayOf, grouped, sumOf } from './numbers.ts'
import type { Rules } from './rules.ts'

export type Guard = {
  kind: Kind
  subset: 'all' | 'positive'
  n_markets: number
  n_clusters: number
  gap: number
  se: number
  slope: number | null
  slope_se: number | null
  extreme_share: number
  is_held: boolean | null
}

/** A market's close and payout, and the categories and days between them. */
type Tested = { close: number; payout: number; places: string[] }

/** Tests whether closes are unbiased, with one fill a market. */
export function guardsOf(fills: readonly ClvFill[], clusters: readonly Cluster[], rules: Rules): Guard[] {
  const candidates = fills
    .filter(({ leftOut, isResolved }) => leftOut === null && !isResolved)
    .filter(({ fill: { market } }) => market.resolvedAt !== null && market.payouts !== null)
    .filter(({ fill: { market, outcome } }) => market.tokenIds.length === 2 || outcome === 0)
    .toSorted(inOrder)
  const gains = grouped(
    clusters.filter(({ range }) => range === 'all'),
    ({ kind, trader }) => `${kind} ${trader}`,
  )
  const isPositive = (one: ClvFill): boolean => {
    const others = (gains.get(`${one.kind} ${one.fill.trader}`) ?? []).filter(
      ({ key }) => key !== clusterOf(one, rules),
    )
    return sumOf(others, ({ risk, edge }) => risk * edge) > 0
  }
  return (['event_start', 'markout_24h'] as const).flatMap((kind) => {
    const own = candidates.filter((one) => one.kind === kind)
    const subsets = [
      { subset: 'all' as const, chosen: own },
      { subset: 'positive' as const, chosen: own.filter(isPositive) },
    ]
    return subsets.flatMap(({ subset, chosen }) =>
      figuresOf(firsts(chosen).map((one) => tested(one, subset === 'positive', rules)))
        .map((figures) => ({ kind, subset, ...figures }))
        .map((guard) => ({ ...guard, is_held: isHeld(guard) })),
    )
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

/** The closing price and the payout of outcome 0, or those of the position that a fill of a trader took. */
function tested({ fill, closeAt, closePrice }: ClvFill, isPosition: boolean, { guardNews }: Rules): Tested {
  const { market, outcome, side } = fill
  const [from, to] = [dayOf(closeAt), dayOf(market.resolvedAt ?? 0)]
  const n_days = guardNews === 'close' ? 1 : Math.max(1, to - from + 1)
  const turned = (price: number, isTurned: boolean): number => (isTurned ? 1_000_000 - price : price) / 1e6
  const isSale = side === 'sell'
  return {
    close: turned(closePrice ?? 0, isPosition ? isSale : outcome === 1),
    payout: turned(market.payouts?.[isPosition ? outcome : 0] ?? 0, isPosition && isSale),
    places: Array.from({ length: n_days }, (_, day) => `${market.category} ${from + day}`),
  }
}

type Figures = Omit<Guard, 'kind' | 'subset' | 'is_held'>

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

function isHeld({
  subset,
  n_markets,
  extreme_share,
  gap,
  se,
  slope,
  slope_se,
}: Omit<Guard, 'is_held'>): boolean | null {
  if (subset === 'all' && n_markets >= 20 && extreme_share > 0.15) return false
  if (n_markets < 200) return null
  const isStraight = slope === null || slope_se === null || Math.abs(slope - 1) <= 2.58 * slope_se
  return Math.abs(gap) <= 2.58 * se && isStraight
}
