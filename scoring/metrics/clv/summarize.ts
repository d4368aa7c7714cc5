/** The percentile of the trader's own clusters, by cash at risk, that caps the weight of a cluster. */
const CAP_SHARE = 0.95

/** Sums up one trader's clusters. There is at least one, and each has cash at risk. */
export function summarize(clusters: readonly ClusterEdge[]): Summary {
  const cap = quantile(
    clusters.map(({ risk_usd }) => risk_usd),
    CAP_SHARE,
  )
  const n = clusters.length
  const weights = clusters.map(({ risk_usd }) => Math.min(risk_usd, cap))
  const total = (term: (cluster: ClusterEdge, weight: number, index: number) => number): number =>
    clusters.reduce((sum, cluster, i) => sum + term(cluster, weights[i] ?? 0, i), 0)
  const sum = total((_, weight) => weight)
  const squares = total((_, weight) => weight * weight)
  // Edges are counted from that of the largest weight, and sums of the other weights added up for each. Where one
  // cluster has almost all the weight, a difference of sums would have no digit of the others.
  const origin = clusters[heaviest(weights)]?.edge_points ?? 0
  const mean = total(({ edge_points }, weight) => weight * (edge_points - origin)) / sum
  const scatter = total(({ edge_points }, weight) => weight * weight * (edge_points - origin - mean) ** 2)
  const others = sumsOfOthers(weights)
  const otherSquares = sumsOfOthers(weights.map((weight) => weight * weight))
  const spread = total((_, weight, i) => weight * weight * ((others[i] ?? 0) ** 2 + (otherSquares[i] ?? 0)))
  const unbiased = n < 2 ? 0 : n / (n - 1)
  return {
    n_clusters: n,
    n_eff: (sum * sum) / squares,
    raw_points: origin + mean,
    variance: unbiased * (scatter / (sum * sum)),
    variance_factor: unbiased * (spread / (sum * sum * squares)),
    price_variance: total(({ price_variance }, weight) => weight * weight * price_variance) / squares,
    maker_share: total(({ maker_usd }) => maker_usd) / total(({ risk_usd }) => risk_usd),
  }
}

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

/** The quantile at (n - 1) x share of the sorted numbers, with linear interpolation. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort()
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

/** For each number the sum of those before and after it. */
function sumsOfOthers(numbers: readonly number[]): number[] {
  const before: number[] = []
  let sum = 0
  for (const number of numbers) {
    before.push(sum)
    sum += number
  }
  sum = 0
  for (let i = numbers.length - 1; i >= 0; i--) {
    before[i] = (before[i] ?? 0) + sum
    sum += numbers[i] ?? 0
  }
  return before
}

const heaviest = (weights: readonly number[]): number =>
  weights.reduce((best, weight, i) => (weight > (weights[best] ?? 0) ? i : best), 0)
