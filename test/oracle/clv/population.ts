import { falseDiscoveryRates } from './false_discoveries.ts'

/**
 * The population step of CLV again, written from the formulas alone: one kind and one range at a time, over doubles.
 * Traders are added up in the order of their names, by code unit, and a trader's clusters in the order of theirs.
 *
 * Gives null without a variance (above 1e-6) within the traders of 10 clusters or more: nothing can be shrunk.
 */
export function population(
  clusters: ClusterTerm[],
  makers: ReadonlyMap<string, number>,
  others: ReadonlySet<string> = new Set(),
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

  const means = traders.map(({ trader, xbar, ...each }) => ({
    xbar,
    v: ownNoise({ ...each, prior: per_price * each.price_variance }) / each.n_eff,
    maker: makers.get(trader) ?? 0,
  }))
  const { tau2, b0, b1 } = prior(means)
  const scored = traders.map(({ trader, n_clusters, n_eff, xbar }, i): Shrunk => {
    const { v, maker } = at(means, i)
    const mu = b0 + b1 * maker
    const clv = mu + (tau2 / (tau2 + v)) * (xbar - mu)
    return { trader, n_clusters, n_eff, xbar, v, mu, clv, se: Math.sqrt((tau2 * v) / (tau2 + v)) }
  })
  return { s2, tau2, b0, b1, traders: scored, rates: falseDiscoveryRates(scored, others) }
}

/** A trader's cluster: mean edge in percentage points, the USD that it weighs (above 0), its mean p (1 - p). */
export type ClusterTerm = { trader: string; cluster: string; x: number; W: number; price_variance: number }

export type Population = {
  s2: number
  tau2: number
  b0: number
  b1: number
  traders: Shrunk[]
  rates: ReturnType<typeof falseDiscoveryRates>
}

/** A trader's score: `xbar`, `mu`, `clv` and `se` in percentage points, `v` in their square. */
export type Shrunk = {
  trader: string
  n_clusters: number
  n_eff: number
  xbar: number
  v: number
  mu: number
  clv: number
  se: number
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
function ownNoise({ n_eff, v_j, f_j, prior }: { n_eff: number; v_j: number; f_j: number; prior: number }): number {
  const known = n_eff - 1
  if (known < 1e-6) return prior
  return (d0 * prior + (known * n_eff * v_j) / f_j) / (d0 + known)
}

/**
 * tau2 after DerSimonian and Laird, around the line b0 + b1 maker. The slope is 0 for fewer than 10 traders, and where
 * all have the same share.
 */
function prior(traders: { xbar: number; v: number; maker: number }[]): { tau2: number; b0: number; b1: number } {
  const shares = traders.map(({ maker }) => maker)
  const isSloped = traders.length >= 10 && Math.max(...shares) - Math.min(...shares) > 1e-6
  const fit = (a: number[]) => {
    const A = sum(a)
    const centre = sum(traders.map(({ maker }, i) => at(a, i) * maker)) / A
    const mean = sum(traders.map(({ xbar }, i) => at(a, i) * xbar)) / A
    const spread = sum(traders.map(({ maker }, i) => at(a, i) * (maker - centre) ** 2))
    const both = sum(traders.map(({ maker, xbar }, i) => at(a, i) * (maker - centre) * (xbar - mean)))
    const b1 = isSloped ? both / spread : 0
    return { A, centre, spread, b0: mean - b1 * centre, b1 }
  }
  const a = traders.map(({ v }) => 1 / v)
  const first = fit(a)
  const Q = sum(traders.map(({ xbar, maker }, i) => at(a, i) * (xbar - first.b0 - first.b1 * maker) ** 2))
  const leverage = sum(
    traders.map(({ maker }, i) => {
      const slope = isSloped ? (maker - first.centre) ** 2 / first.spread : 0
      return at(a, i) ** 2 * (1 / first.A + slope)
    }),
  )
  const free = traders.length - (isSloped ? 2 : 1)
  const tau2 = free === 0 ? 0 : Math.max(0, (Q - free) / (first.A - leverage))
  const { b0, b1 } = fit(traders.map(({ v }) => 1 / (v + tau2)))
  return { tau2, b0, b1 }
}

const sum = (terms: number[]): number => terms.reduce((total, term) => total + term, 0)

function at<T>(list: T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`There is no entry ${index} of ${list.length}.`)
  return item
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byCluster = (a: ClusterTerm, b: ClusterTerm): number => byCodeUnit(a.cluster, b.cluster)
