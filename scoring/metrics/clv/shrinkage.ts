/** A trader's closing line value in one event: the mean of its fills in percentage points, and the cash at risk. */
export type EventEdge = { edge_points: number; risk_usd: number }

/** The summary of a trader's events. `variance` is that of `raw_points`, estimated from the trader's own events. */
export type Summary = { n_events: number; n_eff: number; raw_points: number; variance: number }

/** The population of a kind and range; `s2` is the variance of one event, `tau2` that between traders. */
export type Population = { n_traders: number; n_pooled: number; s2: number; tau2: number; mu: number }

export type Score = Summary & { clv_points: number; se: number }

/** The least number of events from which a trader's variance is estimated. */
const POOLED_EVENTS = 10
/** The percentile of the trader's own events, by cash at risk, that caps the weight of an event. */
const CAP_SHARE = 0.95

/**
 * The closing line value of every trader, shrunk towards the population mean. The traders and their events have a fixed
 * order, since sums of floats depend on it. Undefined if no trader has enough events to estimate chance.
 */
export function shrink(
  traders: readonly (readonly EventEdge[])[],
): { population: Population; scores: Score[] } | undefined {
  return shrinkSummaries(traders.map(summarize))
}

/** Sums up one trader's events. There is at least one, and each has cash at risk. */
export function summarize(events: readonly EventEdge[]): Summary {
  const cap = quantile(
    events.map(({ risk_usd }) => risk_usd),
    CAP_SHARE,
  )
  let [sum, squares, weighted] = [0, 0, 0]
  for (const { edge_points, risk_usd } of events) {
    const weight = Math.min(risk_usd, cap)
    sum += weight
    squares += weight * weight
    weighted += weight * edge_points
  }
  const raw_points = weighted / sum
  let scatter = 0
  for (const { edge_points, risk_usd } of events) {
    const weight = Math.min(risk_usd, cap)
    scatter += weight * weight * (edge_points - raw_points) ** 2
  }
  const n = events.length
  const variance = n < 2 ? Number.NaN : (n / (n - 1)) * (scatter / (sum * sum))
  return { n_events: n, n_eff: (sum * sum) / squares, raw_points, variance }
}

/** The step over all traders: the variance between them beyond chance, and each shrunk estimate. */
export function shrinkSummaries(
  summaries: readonly Summary[],
): { population: Population; scores: Score[] } | undefined {
  const pooled = summaries.filter(({ n_events }) => n_events >= POOLED_EVENTS)
  if (pooled.length === 0) return undefined
  const s2 = total(pooled, ({ n_eff, variance }) => n_eff * n_eff * variance) / total(pooled, ({ n_eff }) => n_eff)
  const tau2 = spreadOf(summaries, s2)
  const precision = ({ n_eff }: Summary): number => 1 / (s2 / n_eff + tau2)
  const mu =
    s2 + tau2 === 0
      ? (summaries[0]?.raw_points ?? 0)
      : total(summaries, (one) => one.raw_points * precision(one)) / total(summaries, precision)
  const scores = summaries.map((one) => {
    const v = s2 / one.n_eff
    const trust = tau2 + v === 0 ? 1 : tau2 / (tau2 + v)
    return { ...one, clv_points: mu + trust * (one.raw_points - mu), se: Math.sqrt(trust * v) }
  })
  return { population: { n_traders: summaries.length, n_pooled: pooled.length, s2, tau2, mu }, scores }
}

/** The variance between traders by DerSimonian and Laird. If events have no variance, it is that of the means. */
function spreadOf(summaries: readonly Summary[], s2: number): number {
  // All weights share the factor 1 / s2, which is left out so that s2 may be 0.
  const weights = total(summaries, ({ n_eff }) => n_eff)
  const mean = total(summaries, ({ n_eff, raw_points }) => n_eff * raw_points) / weights
  const scatter = total(summaries, ({ n_eff, raw_points }) => n_eff * (raw_points - mean) ** 2)
  const scale = weights - total(summaries, ({ n_eff }) => n_eff * n_eff) / weights
  // A single trader has no variance between traders.
  if (summaries.length < 2) return 0
  return Math.max(0, (scatter - (summaries.length - 1) * s2) / scale)
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
