import { roundHalfAway } from '#test/oracle/round.ts'
import type { Micros } from '#time.ts'

import {
  closePrice,
  closesOf,
  type Close,
  type Fill,
  type Kind,
  type LeftOut,
  type Market,
  type Prices,
  type ScoredFill,
} from './closes.ts'
import type { Rates } from './false_discoveries.ts'
import { guardsOf, type Guard } from './guards.ts'
import { population, ratesOf, type Population, type Shrunk, type Style } from './population.ts'
import { stylesOf } from './styles.ts'

/*
 * Read from the specification, where it leaves something open:
 *  1. A fill of a market with a known start has both closes, any other the one a day later. The latter is in play where
 *     its window reaches the start, as the fill itself is from the start on: prices then show the outcome.
 *  2. Both ends of a close window belong to it, as its brackets say. A rolling window excludes its first instant.
 *  3. A close is known at the start itself, and 25 hours after a fill.
 *  4. A market that resolves after the fill and up to 25 hours after it has the two hours before its resolution as its
 *     window, and the resolution as its close. The fill counts, is tagged, and is counted apart. It becomes known when
 *     the others do: else the newest fills would be known of resolved markets alone.
 *  5. A match counts once, by its taker's row. The two tokens of a market of two outcomes are one book, so that a match in
 *     either is a price of both; of more outcomes each stands alone. The rows of its own trader are left out of
 *     the close, and so are the trades of any trader with itself. A maker's row is taken out of the taker's row of its
 *     transaction, and out of nothing where there is none.
 *  6. 200 shares or more must be left after that, of 3 other takers, each with something taken of others than itself.
 *     Else the last midpoint at or before the close counts, if it was recorded in the window, or the books were looked at
 *     in it and had not changed. It is of outcome 0; outcome 1 of two is what is left of 1; a third outcome has none.
 *  7. From a market's resolution on a price is the payout: neither fills nor midpoints count.
 *  8. The price a share is (cash + fee) / size of a buy, (cash - fee) / size of a sale. So q p is cash + fee and
 *     q (1 - p) is size - cash + fee, without rounding.
 *  9. Prices outside [0.02, 0.98] are the fill's own, before fees; both ends are inside. So is the p of s0^2(p).
 * 10. The reasons to leave out are tried in the order start or in_play, extreme, no_close, self; the first holds.
 * 11. Maker = taker: a trader with both roles in one transaction and market.
 * 12. Closes are rounded to millionths, halves away from 0; edges are not. A cluster's edge is over its scored fills with
 *     a close in the range. A cluster with nothing at risk, such as dust that cost nothing, is none.
 * 13. A fill counts for the share of scored fills by its own close; 'all' has those whose close is still to come.
 * 14. The 95th percentile is over the trader's clusters of the kind in the range. Of n sorted values it lies at
 *     0.95 (n - 1), counted from 0, between two of them in proportion.
 * 15. The population of a kind and range is every trader with a cluster in it. Without one of 10 clusters, or without
 *     any variance, there is no score. The made part is that of what is at risk in the scored fills; a fill without a
 *     reported role counts as taken. Means and variances of roles are fitted over traders with n_eff >= 10, or over all
 *     where there are fewer than 10 of these.
 * 16. A trader with n_eff - 1 < 1e-6 has the noise of its prices. d0 is 4.
 * 17. The anonymous trader '' has no score, but its fills are prices. A fill of no shares is none.
 */

/**
 * CLV again, written from its specification alone: slow and obvious, one fill at a time, exact up to an event's edge.
 * `as_of` is the clock: no row may be later.
 */
export function oracleClv(input: ClvInput): {
  fills: ScoredFill[]
  clusters: ClusterSum[]
  scores: Score[]
  rates: (Rates & { trader: string; range: Range })[]
  guards: Guard[]
} {
  const fills = input.fills
    .filter(({ trader, size }) => trader !== '' && size > 0n)
    .flatMap((fill) => scoredFills(fill, input))
  const clusters = ranges.flatMap((range) =>
    clusterSums(
      range,
      fills.filter((each) => isInRange(each, range, input.as_of)),
    ),
  )
  const styles = stylesOf(input.fills, input.markets)
  const guards = guardsOf(fills, input.markets, input.as_of)
  const scores = ranges.flatMap((range) =>
    (['event_start', 'markout_24h'] as const).map((kind) =>
      scoreOf(range, kind, { fills, clusters, as_of: input.as_of, styles }),
    ),
  )
  // A kind whose guard does not hold is no test.
  const isTrusted = (kind: Kind): boolean => !guards.some((guard) => guard.kind === kind && guard.is_held === false)
  const rates = ranges.flatMap((range) => {
    const tested = scores.filter((score) => score.range === range && isTrusted(score.kind))
    return [...ratesOf(tested.map((score) => score.population))].map(([trader, rate]) => ({ trader, range, ...rate }))
  })
  return { fills, clusters, scores, rates, guards }
}

export type ClvInput = Prices & { markets: Market[]; as_of: Micros }
export type Range = '30d' | '90d' | 'all'
const ranges: readonly Range[] = ['30d', '90d', 'all']

/**
 * A trader's scored fills of a category whose closes lie in one UTC day and in the range: `edge` (x_jg) in 1e-24
 * points, USD in millionths, `price_variance` the mean of p (1 - p) by what is at risk.
 */
export type ClusterSum = {
  trader: string
  range: Range
  kind: Kind
  category: string
  day: number
  edge: bigint
  risk: bigint
  maker: bigint
  price_variance: number
  n_fills: number
  n_resolved: number
}

/** A kind's scores in a range; null where there are none. `weights` are the winsorised W_jg in 1e-8 US dollars. */
export type Score = {
  range: Range
  kind: Kind
  weights: { trader: string; cluster: string; W: bigint }[]
  population: Population | null
  traders: (Shrunk & { scored_share: number; n_resolved: number })[]
}

function scoredFills(fill: Fill, input: ClvInput): ScoredFill[] {
  const market = input.markets.find((each) => each.market === fill.market)
  if (market === undefined) throw new RangeError(`A fill is in market '${fill.market}': it must be a given market.`)
  return closesOf(fill, market).map((when) => {
    const close = when.known_at <= input.as_of ? closePrice(fill, market, when, input) : null
    const { kind, close_at, is_resolved } = when
    const edge = close === null ? null : edgeOf(fill, close)
    return {
      fill,
      category: market.category ?? '',
      is_resolved,
      kind,
      close_at,
      close,
      edge,
      risk: riskOf(fill),
      left_out: reason(fill, market, when, close, input.fills),
    }
  })
}

function reason(fill: Fill, { starts_at }: Market, when: Close, close: bigint | null, fills: Fill[]): LeftOut | null {
  const seen_at = when.kind === 'markout_24h' ? when.ends_at : fill.ts
  if (starts_at !== null && seen_at >= starts_at) return 'in_play'
  if (fill.ts >= when.opens_at) return 'start'
  if (fill.price < 20_000n || fill.price > 980_000n) return 'extreme'
  if (close === null) return 'no_close'
  const roles = fills.filter(
    (each) => each.trader === fill.trader && each.tx === fill.tx && each.market === fill.market,
  )
  if (roles.some(({ role }) => role === 'maker') && roles.some(({ role }) => role === 'taker')) return 'self'
  return null
}

/** d_i: 100 (c - p) of a buy, 100 (p - c) of a sale. */
function edgeOf({ side, cash, fee, size }: Fill, close: bigint): bigint {
  const gain = side === 'buy' ? close * size - (cash + fee) * 1_000_000n : (cash - fee) * 1_000_000n - close * size
  return roundHalfAway(100n * gain * 10n ** 18n, size)
}

/** w_i: q p of a buy, q (1 - p) of a sale. */
const riskOf = ({ side, cash, fee, size }: Fill): bigint => (side === 'buy' ? cash + fee : size - (cash - fee))

const isInRange = (each: { close_at: Micros }, range: Range, as_of: Micros): boolean =>
  each.close_at > as_of - length_us[range] && (range === 'all' || each.close_at <= as_of)

type Moments = ClusterSum & { moment: bigint; spread: bigint }

function clusterSums(range: Range, fills: ScoredFill[]): ClusterSum[] {
  const sums = new Map<string, Moments>()
  for (const each of fills) {
    if (each.left_out !== null || each.edge === null) continue
    const { fill, edge, risk } = each
    const found = clusterOf(sums, range, each)
    found.moment += risk * edge
    found.risk += risk
    found.maker += fill.role === 'maker' ? risk : 0n
    found.spread += risk * fill.price * (1_000_000n - fill.price)
    found.n_fills += 1
    found.n_resolved += each.is_resolved ? 1 : 0
  }
  return [...sums.values()]
    .filter(({ risk }) => risk > 0n)
    .map(({ moment, spread, ...each }) => ({
      ...each,
      edge: roundHalfAway(moment, each.risk),
      price_variance: Number(spread) / Number(each.risk) / 1e12,
    }))
}

function clusterOf(sums: Map<string, Moments>, range: Range, { fill, kind, category, close_at }: ScoredFill): Moments {
  const of = Math.floor(close_at / day)
  const key = JSON.stringify([fill.trader, kind, category, of])
  const found = sums.get(key)
  if (found !== undefined) return found
  const none = { edge: 0n, risk: 0n, maker: 0n, price_variance: 0, n_fills: 0, n_resolved: 0, moment: 0n, spread: 0n }
  const made = { trader: fill.trader, range, kind, category, day: of, ...none }
  sums.set(key, made)
  return made
}

type Scored = { fills: ScoredFill[]; clusters: ClusterSum[]; as_of: Micros; styles: ReadonlyMap<string, Style> }

function scoreOf(range: Range, kind: Kind, { fills, clusters, as_of, styles }: Scored): Score {
  const inRange = clusters.filter((each) => each.kind === kind && each.range === range)
  const weights = inRange.map(({ trader, category, day: of, risk }) => {
    const cap = percentile95(inRange.filter((each) => each.trader === trader).map((each) => each.risk))
    return { trader, cluster: `${category} ${String(of).padStart(6, '0')}`, W: risk * 100n < cap ? risk * 100n : cap }
  })
  const terms = inRange.map(({ edge, price_variance }, i) => {
    const { trader, cluster, W } = weights[i] ?? { trader: '', cluster: '', W: 0n }
    return { trader, cluster, x: Number(edge) / 1e24, W: Number(W) / 1e8, price_variance }
  })
  const ofTrader = (trader: string): ClusterSum[] => inRange.filter((each) => each.trader === trader)
  const makers = new Map(terms.map(({ trader }) => [trader, makerShare(ofTrader(trader))]))
  const whole = terms.length === 0 ? null : population(terms, makers, styles)
  const traders = (whole?.traders ?? []).map((each) => {
    const own = fills.filter(
      (one) => one.fill.trader === each.trader && one.kind === kind && isInRange(one, range, as_of),
    )
    const scored = own.filter(({ left_out }) => left_out === null)
    const n_resolved = scored.filter(({ is_resolved }) => is_resolved).length
    return { ...each, n_resolved, scored_share: scored.length / own.length }
  })
  return { range, kind, weights, population: whole, traders }
}

const makerShare = (clusters: ClusterSum[]): number =>
  Number(clusters.reduce((total, { maker }) => total + maker, 0n)) /
  Number(clusters.reduce((total, { risk }) => total + risk, 0n))

const day: Micros = 86_400_000_000
const length_us: Record<Range, number> = { '30d': 30 * day, '90d': 90 * day, all: Infinity }

/** The value 95 % up the sorted values, in hundredths of their unit. */
function percentile95(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const place = 95 * (sorted.length - 1)
  const low = sorted[Math.floor(place / 100)]
  const high = sorted[Math.ceil(place / 100)]
  if (low === undefined || high === undefined) throw new RangeError('A percentile needs at least one value.')
  return low * 100n + (high - low) * BigInt(place % 100)
}
