import { discoveryRates, type Rates } from './discovery_rates.ts'
import { fitPrior } from './prior.ts'
import { intervalOf } from './student.ts'

/**
 * A trader's closing line value in one cluster: the mean of its fills in percentage points, the cash at risk in US
 * dollars, the part of it that was made, and the mean of p (1 - p).
 */
export type ClusterEdge = { edge_points: number; risk_usd: number; maker_usd: number; price_variance: number }

/**
 * The summary of a trader's clusters. `variance` is that of `raw_points`, estimated from the trader's own clusters;
 * `variance_factor` its expectation for a noise of 1, times `n_eff`. Both are 0 for a single cluster.
 */
export type Summary = {
  n_clusters: number
  n_eff: number
  raw_points: number
  variance: number
  variance_factor: number
  price_variance: number
  maker_share: number
}

/** The population of a kind and range; `s2` is the variance of one cluster, `tau2` that between traders. */
export type Population = {
  n_traders: number
  n_pooled: number
  s2: number
  s2_price: number
  tau2: number
  b0: number
  b1: number
}

/**
 * A trader's score; from `raw_lower` to `raw_upper` is the 95 % interval of its true mean by its own clusters alone.
 */
export type Score = Summary &
  Rates & { v: number; raw_lower: number; raw_upper: number; mu_points: number; clv_points: number; se: number }

/** The least number of clusters from which a trader's variance is pooled. */
const POOLED_CLUSTERS = 10
/** The percentile of the trader's own clusters, by cash at risk, that caps the weight of a cluster. */
const CAP_SHARE = 0.95
/**
 * The number of clusters that the noise of a trader's prices counts for: the degrees of freedom with which the noise of
 * traders varies around that of their prices (3 to 4.5 in simulated worlds, after Smyth).
 */
const PRIOR_CLUSTERS = 4
/** The variance of a cluster below which edges are equal but for rounding. */
const LEAST_VARIANCE = 1e-6

/**
 * The closing line value of every trader, shrunk towards the population mean. The traders and their clusters have a
 * fixed order, since sums of floats depend on it. Undefined if chance cannot be estimated.
 */
export function shrink(
  traders: readonly (readonly ClusterEdge[])[],
): { population: Population; scores: Score[] } | undefined {
  return shrinkSummaries(traders.map(summarize), () => true)
}

/** Sums up one trader's clusters. There is at least one, and each has cash at risk. */
export function summarize(clusters: readonly ClusterEdge[]): Summary {
  const cap = quantile(
    clusters.map(({ risk_usd }) => risk_usd),
    CAP_SHARE,
  )
  const n = clusters.length
  const weights = clusters.map(({ risk_usd }) => Math.min(risk_usd, cap))
  const of = (term: (cluster: ClusterEdge, weight: number) => number): number =>
    clusters.reduce((sum, cluster, i) => sum + term(cluster, weights[i] ?? 0), 0)
  const sum = of((_, weight) => weight)
  const squares = of((_, weight) => weight * weight)
  const cubes = of((_, weight) => weight * weight * weight)
  const raw_points = of(({ edge_points }, weight) => weight * edge_points) / sum
  const scatter = of(({ edge_points }, weight) => weight * weight * (edge_points - raw_points) ** 2)
  const unbiased = n < 2 ? 0 : n / (n - 1)
  return {
    n_clusters: n,
    n_eff: (sum * sum) / squares,
    raw_points,
    variance: unbiased * (scatter / (sum * sum)),
    variance_factor: unbiased * (1 - (2 * cubes) / (sum * squares) + squares / (sum * sum)),
    price_variance: of(({ price_variance }, weight) => weight * weight * price_variance) / squares,
    maker_share: of(({ maker_usd }) => maker_usd) / of(({ risk_usd }) => risk_usd),
  }
}

/**
 * The step over all traders: the variance between them beyond chance, and each shrunk estimate. `isServed` says by the
 * index of a summary whether the kind is that of the trader's served score.
 */
export function shrinkSummaries(
  summaries: readonly Summary[],
  isServed: (index: number) => boolean,
): { population: Population; scores: Score[] } | undefined {
  const pooled = summaries.filter(({ n_clusters }) => n_clusters >= POOLED_CLUSTERS)
  const scatter = total(pooled, ({ n_eff, variance }) => n_eff * n_eff * variance)
  const s2 = scatter / total(pooled, ({ n_eff, variance_factor }) => n_eff * variance_factor)
  // Without traders `s2` is not a number; without variance it is below the limit.
  if (!(s2 > LEAST_VARIANCE)) return undefined
  const s2_price =
    scatter / total(pooled, ({ n_eff, variance_factor, price_variance }) => n_eff * variance_factor * price_variance)
  const noisy = summaries.map((one) => {
    const v = noiseOf(one, s2_price) / one.n_eff
    const { lower, upper } = intervalOf(one.raw_points, v, PRIOR_CLUSTERS + Math.max(0, one.n_eff - 1))
    return { ...one, v, raw_lower: lower, raw_upper: upper }
  })
  const { tau2, b0, b1 } = fitPrior(noisy)
  const scores = noisy.map((one) => {
    const mu_points = b0 + b1 * one.maker_share
    const trust = tau2 / (tau2 + one.v)
    const clv_points = mu_points + trust * (one.raw_points - mu_points)
    return { ...one, mu_points, clv_points, se: Math.sqrt(trust * one.v) }
  })
  const rates = discoveryRates(scores, isServed)
  return {
    population: { n_traders: summaries.length, n_pooled: pooled.length, s2, s2_price, tau2, b0, b1 },
    scores: scores.map((one, i) => ({ ...one, ...(rates[i] ?? { q: null, q_below: null, q_wide: null }) })),
  }
}

/** The variance of one cluster of a trader: its own, shrunk towards that of its prices. */
function noiseOf({ n_eff, variance, variance_factor, price_variance }: Summary, s2_price: number): number {
  const prior = s2_price * price_variance
  const known = n_eff - 1
  // A trader of one cluster, or of one huge one, does not show a variance.
  if (known < 1e-6) return prior
  return (PRIOR_CLUSTERS * prior + (known * n_eff * variance) / variance_factor) / (PRIOR_CLUSTERS + known)
}

/** The quantile at (n - 1) x share of the sorted numbers, with linear interpolation. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort()
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

const total = (summaries: readonly Summary[], of: (summary: Summary) => number): number =>
  summaries.reduce((sum, summary) => sum + of(summary), 0)
