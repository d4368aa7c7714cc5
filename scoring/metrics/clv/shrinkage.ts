import { discoveryRates, type Rates } from './discovery_rates.ts'
import { fitPrior } from './prior.ts'
import { intervalOf } from './student.ts'
import { summarize, type ClusterEdge, type Summary } from './summarize.ts'

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
  const noisy = summaries.map((trader) => {
    const v = noiseOf(trader, s2_price) / trader.n_eff
    const { lower, upper } = intervalOf(trader.raw_points, v, PRIOR_CLUSTERS + Math.max(0, trader.n_eff - 1))
    return { ...trader, v, raw_lower: lower, raw_upper: upper }
  })
  const { tau2, b0, b1 } = fitPrior(noisy)
  const scores = noisy.map((trader) => {
    const mu_points = b0 + b1 * trader.maker_share
    const trust = tau2 / (tau2 + trader.v)
    const clv_points = mu_points + trust * (trader.raw_points - mu_points)
    return { ...trader, mu_points, clv_points, se: Math.sqrt(trust * trader.v) }
  })
  const rates = discoveryRates(scores, isServed)
  return {
    population: { n_traders: summaries.length, n_pooled: pooled.length, s2, s2_price, tau2, b0, b1 },
    scores: scores.map((score, i) => ({ ...score, ...(rates[i] ?? { q: null, q_below: null, q_wide: null }) })),
  }
}

/** The variance of one cluster of a trader: its own, shrunk towards that of its prices. */
function noiseOf({ n_eff, variance, variance_factor, price_variance }: Summary, s2_price: number): number {
  const prior = s2_price * price_variance
  const freedom = n_eff - 1
  // A trader of one cluster, or of one huge one, does not show a variance.
  if (freedom < 1e-6) return prior
  return (PRIOR_CLUSTERS * prior + (freedom * n_eff * variance) / variance_factor) / (PRIOR_CLUSTERS + freedom)
}

const total = (summaries: readonly Summary[], term: (summary: Summary) => number): number =>
  summaries.reduce((sum, summary) => sum + term(summary), 0)
