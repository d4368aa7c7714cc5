import { valueOf } from './line.ts'
import { fitPrior, type Prior, type Role } from './prior.ts'
import { intervalOf, upperTailOf } from './student.ts'
import type { Summary } from './summarize.ts'

/** How a trader trades over all its fills, from 0 to 1: markets with both sides, and net shares of those traded. */
export type Style = { role: Role; both_sides_share: number; net_share: number }

/** The population of a kind and range; `s2` is the variance of one cluster, `prior` the distribution of true means. */
export type Population = { n_traders: number; n_pooled: number; s2: number; s2_price: number; prior: Prior }

/**
 * A trader's score, in percentage points. From `raw_lower` to `raw_upper` is the 95 % interval of its true mean by its
 * own clusters alone. `mu_points` is the mean of its role, `tau2` the variance of skill around it, `clv_points` the estimate of its true mean, `skill_points`
 * that of the part beyond 0 and the role. `p_above` is the chance of such a mean for a trader that is not above 0, or
 * not above its role; `p_below` for one that is not below 0, or not below its role.
 */
export type Score = Summary & {
  role: Role
  v: number
  tau2: number
  raw_lower: number
  raw_upper: number
  mu_points: number
  mu_se: number
  clv_points: number
  se: number
  skill_points: number
  skill_se: number
  p_above: number
  p_below: number
}

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
 * The closing line value of every trader, shrunk towards the mean of its role. The traders have a fixed order, since
 * sums of floats depend on it. Undefined if chance cannot be estimated.
 */
export function shrink(traders: readonly (Summary & Style)[]): { population: Population; scores: Score[] } | undefined {
  const pooled = traders.filter(({ n_clusters }) => n_clusters >= POOLED_CLUSTERS)
  const scatter = total(pooled, ({ n_eff, variance }) => n_eff * n_eff * variance)
  const s2 = scatter / total(pooled, ({ n_eff, variance_factor }) => n_eff * variance_factor)
  // Without traders `s2` is not a number; without variance it is below the limit.
  if (!(s2 > LEAST_VARIANCE)) return undefined
  const s2_price =
    scatter / total(pooled, ({ n_eff, variance_factor, price_variance }) => n_eff * variance_factor * price_variance)
  const noisy = traders.map((trader) => ({
    ...trader,
    v: noiseOf(trader, s2_price) / trader.n_eff,
    terms: termsOf(trader),
  }))
  const prior = fitPrior(noisy)
  const scores = noisy.map(({ terms, ...trader }, i): Score => {
    const { mean, variance } = valueOf(prior.line, terms)
    return { ...trader, ...estimateOf(trader, mean, variance, prior.tau2[i] ?? 0) }
  })
  return { population: { n_traders: traders.length, n_pooled: pooled.length, s2, s2_price, prior }, scores }
}

/** What the mean of a role depends on: a constant, and what was made, on both sides, and without shares left over. */
const termsOf = ({ maker_share, both_sides_share, net_share }: Summary & Style): number[] => [
  1,
  maker_share,
  maker_share * both_sides_share,
  maker_share * (1 - net_share),
]

type Noisy = Summary & { v: number }

/** The estimates and tests of a trader, from the mean of its role, the variance of that mean, and that of skill. */
function estimateOf({ raw_points, v, n_eff }: Noisy, mu_points: number, mu_variance: number, tau2: number) {
  const freedom = PRIOR_CLUSTERS + Math.max(0, n_eff - 1)
  const { lower, upper } = intervalOf(raw_points, v, freedom)
  const trust = tau2 / (tau2 + v)
  const clv_points = mu_points + trust * (raw_points - mu_points)
  const se = Math.sqrt(trust * v + (1 - trust) ** 2 * mu_variance)
  // The mean of the role is itself an estimate where it is above 0, or below 0 for the other test.
  const tail = (distance: number, isRole: boolean): number =>
    upperTailOf(distance / Math.sqrt(v + (isRole ? mu_variance : 0)), freedom)
  return {
    tau2,
    raw_lower: lower,
    raw_upper: upper,
    mu_points,
    mu_se: Math.sqrt(mu_variance),
    clv_points,
    se,
    skill_points: clv_points - Math.max(0, mu_points),
    skill_se: mu_points > 0 ? Math.sqrt(trust * v + trust ** 2 * mu_variance) : se,
    p_above: tail(raw_points - Math.max(0, mu_points), mu_points > 0),
    p_below: tail(Math.min(0, mu_points) - raw_points, mu_points < 0),
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
