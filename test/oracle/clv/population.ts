import { chances, falseDiscoveryRates, type Rates } from './false_discoveries.ts'
import { fitted, type Plane } from './planes.ts'

/**
 * The population step of CLV again, written from the formulas alone: one kind and one range at a time, over doubles.
 * Traders are added up in the order of their names, by code unit, and a trader's clusters in the order of theirs.
 *
 * Gives null without a variance (above 1e-6) within the traders of 10 clusters or more: nothing can be shrunk.
 */
export function population(
  clusters: ClusterTerm[],
  makers: ReadonlyMap<string, number>,
  styles: ReadonlyMap<string, Style>,
): Population | null {
  const traders = [...new Set(clusters.map(({ trader }) => trader))]
    .sort(byCodeUnit)
    .map((trader) => summary(trader, clusters.filter((each) => each.trader === trader).sort(byCluster)))

  const pooled = traders.filter(({ n_clusters }) => n_clusters >= 10)
  const squares = sum(pooled.map(({ n_eff, v_j }) => n_eff ** 2 * v_j))
  // One noise for all prices, and one for each p (1 - p): each makes the pooled variance right on average.
  const s2 = squares / sum(pooled.map(({ n_eff, f_j }) => n_eff * f_j))
  const per_price = squares / sum(pooled.map(({ n_eff, f_j, price_variance }) => n_eff * f_j * price_variance))
  if (!(s2 > 1e-6)) return null

  const means = traders.map(({ trader, xbar, n_eff, ...each }): Seen => {
    const style = styles.get(trader) ?? { role: 'taker', both_sides_share: 0, net_share: 0 }
    const made = makers.get(trader) ?? 0
    return {
      xbar,
      n_eff,
      v: ownNoise({ ...each, n_eff, prior: per_price * each.price_variance }) / n_eff,
      role: style.role,
      terms: [1, made, made * style.both_sides_share, made * (1 - style.net_share)],
    }
  })
  const { tau2, plane } = prior(means)
  const scored = traders.map(({ trader, n_clusters, n_eff, xbar }, i): Shrunk => {
    const { v, terms } = at(means, i)
    const variance = at(tau2, i)
    const mu = plane.mean(terms)
    const mu_variance = plane.variance(terms)
    const B = variance / (variance + v)
    const clv = mu + B * (xbar - mu)
    const se = Math.sqrt(B * v + (1 - B) ** 2 * mu_variance)
    const skill = mu > 0 ? clv - mu : clv
    const skill_se = mu > 0 ? Math.sqrt(B * v + B * B * mu_variance) : se
    const mu_se = Math.sqrt(mu_variance)
    return {
      trader,
      n_clusters,
      n_eff,
      xbar,
      v,
      tau2: variance,
      mu,
      mu_se,
      clv,
      se,
      skill,
      skill_se,
      ...chances({ xbar, v, n_eff, mu, mu_variance }),
    }
  })
  const b = plane.coefficients
  return { s2, b, traders: scored }
}

export type Role = 'taker' | 'poster' | 'market_maker'
export type Style = { role: Role; both_sides_share: number; net_share: number }

/** The rates of a range, over the trusted kinds together, by trader. */
export const ratesOf = (kinds: readonly (Population | null)[]): ReadonlyMap<string, Rates> =>
  falseDiscoveryRates(kinds.flatMap((each) => each?.traders ?? []))

/** A trader's cluster: mean edge in percentage points, the USD that it weighs (above 0), its mean p (1 - p). */
export type ClusterTerm = { trader: string; cluster: string; x: number; W: number; price_variance: number }

export type Population = {
  s2: number
  /** The coefficients of the mean: constant, made, made on both sides, made and not left over. */
  b: readonly number[]
  traders: Shrunk[]
}

/** A trader's score: `v` in squared percentage points, the chances between 0 and 1, the rest in points. */
export type Shrunk = {
  trader: string
  n_clusters: number
  n_eff: number
  xbar: number
  v: number
  /** The variance of skill between traders of the role with a like sample. */
  tau2: number
  mu: number
  mu_se: number
  clv: number
  se: number
  skill: number
  skill_se: number
  above: number
  below: number
}

/** The statistics of one trader's clusters, without the population. v_j and f_j are 0 for a single cluster. */
type Summary = {
  trader: string
  n_clusters: number
  n_eff: number
  xbar: number
  v_j: number
  f_j: number
  price_variance: number
}

/** The number of clusters that the noise of a trader's prices counts for. */
const d0 = 4

function summary(trader: string, clusters: ClusterTerm[]): Summary {
  const n = clusters.length
  const W1 = sum(clusters.map(({ W }) => W))
  // Products, since a power is not rounded correctly by all engines.
  const W2 = sum(clusters.map(({ W }) => W * W))
  const xbar = sum(clusters.map(({ W, x }) => W * x)) / W1
  // By pairs, since x - xbar and W1 - W have no digit of the others where one cluster has almost all the weight.
  const off = sum(clusters.map((one) => (one.W * sum(clusters.map(({ W, x }) => (W * (one.x - x)) / W1))) ** 2))
  const spread = sum(
    clusters.map((one) => {
      const others = clusters.filter((each) => each !== one).map(({ W }) => W / W1)
      return one.W * one.W * (sum(others) ** 2 + sum(others.map((w) => w * w)))
    }),
  )
  return {
    trader,
    n_clusters: n,
    n_eff: (W1 * W1) / W2,
    xbar,
    v_j: n < 2 ? 0 : ((n / (n - 1)) * off) / (W1 * W1),
    // The same as 1 - 2 sum W^3 / (W1 W2) + W2 / W1^2.
    f_j: n < 2 ? 0 : (n / (n - 1)) * (spread / W2),
    // The variance of xbar is sum W^2 s0^2(p) / (sum W)^2, so each cluster's p (1 - p) counts by W^2.
    price_variance: sum(clusters.map(({ W, price_variance }) => W * W * price_variance)) / W2,
  }
}

/** s2_j: a trader's own variance of one cluster, shrunk towards that of its prices. */
function ownNoise({
  n_eff,
  v_j,
  f_j,
  prior: ofPrices,
}: {
  n_eff: number
  v_j: number
  f_j: number
  prior: number
}): number {
  const known = n_eff - 1
  if (known < 1e-6) return ofPrices
  return (d0 * ofPrices + (known * n_eff * v_j) / f_j) / (d0 + known)
}

/** What the prior sees of a trader. */
type Seen = { xbar: number; v: number; n_eff: number; role: Role; terms: readonly number[] }

/** The variance of skill of each trader about an unweighted plane, and the plane with the weights that these imply. */
function prior(traders: Seen[]): { tau2: number[]; plane: Plane } {
  const isLarge = ({ n_eff }: Seen): boolean => n_eff >= 10 - 1e-9
  const isFitted = traders.filter(isLarge).length < 10 ? () => true : isLarge
  const used = traders.filter(isFitted)
  const equal = fitted(used.map(({ terms, xbar }) => ({ terms, y: xbar, a: 1 })))
  const off = used.map((trader) => ({
    trader,
    square: (trader.xbar - equal.mean(trader.terms)) ** 2,
    free: 1 - equal.leverage(trader.terms),
  }))
  const moment = (members: typeof off): number => {
    const free = sum(members.map((each) => each.free))
    if (free < 1e-9) return 0
    const M = sum(members.map((each) => each.square - each.free * each.trader.v)) / free
    return Math.max(M, Math.sqrt(2 * sum(members.map((each) => each.free * each.trader.v ** 2))) / free)
  }
  const tau2 = traders.map((trader) => {
    const role = off.filter((each) => each.trader.role === trader.role)
    if (role.length < 10) return moment(off)
    // Ranked by the sample, to millionths; equal ones keep the order of the traders.
    const ranked = role.toSorted((a, b) => Math.round(a.trader.n_eff * 1e6) - Math.round(b.trader.n_eff * 1e6))
    const parts = Math.max(1, Math.min(5, Math.floor(ranked.length / 30)))
    const borders = Array.from({ length: parts + 1 }, (_, part) => Math.floor((part * ranked.length) / parts))
    const place = Math.max(
      0,
      ranked.findIndex((each) => each.trader === trader),
    )
    const part = borders.findLastIndex((border) => border <= place)
    return moment(ranked.slice(borders[part], borders[part + 1]))
  })
  const variances = new Map(traders.map((trader, i) => [trader, at(tau2, i)]))
  const plane = fitted(
    used.map((trader) => ({ terms: trader.terms, y: trader.xbar, a: 1 / (trader.v + (variances.get(trader) ?? 0)) })),
    equal.kept,
  )
  return { tau2, plane }
}

const sum = (terms: number[]): number => terms.reduce((total, term) => total + term, 0)

function at<T>(list: T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`There is no entry ${index} of ${list.length}.`)
  return item
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byCluster = (a: ClusterTerm, b: ClusterTerm): number => byCodeUnit(a.cluster, b.cluster)
