/** A trader's mean, its variance by chance, and its effective number of clusters. */
type Tested = { raw_points: number; v: number; n_eff: number }

/**
 * The false discovery rates of a trader: the least rate at which the trader is among the discoveries. `q`: of means
 * above 0, `q_below`: below 0, both among large samples; `q_wide`: above 0 among smaller samples too. Null if the
 * trader's sample is too small.
 */
export type Rates = { q: number | null; q_below: number | null; q_wide: number | null }

/** The effective number of clusters of a large sample, and of a smaller one. */
const LARGE = 20
const SMALL = 10
/** The equal weights of whole clusters give a whole number but for rounding. */
const ROUNDING = 1e-9

/**
 * The false discovery rates of all traders by Benjamini and Hochberg, in their order. Only traders who are served by
 * the
 * kind are tested: discoveries among the others would raise the rate of luck among these.
 */
export function discoveryRates(traders: readonly Tested[], isServed: (index: number) => boolean): Rates[] {
  const tested = traders.map((trader, i) => ({ ...trader, n_eff: isServed(i) ? trader.n_eff : 0 }))
  const q = adjust(tested, LARGE, 1)
  const q_below = adjust(tested, LARGE, -1)
  const q_wide = adjust(tested, SMALL, 1)
  return tested.map((_, i) => ({ q: q.get(i) ?? null, q_below: q_below.get(i) ?? null, q_wide: q_wide.get(i) ?? null }))
}

function adjust(tested: readonly Tested[], least: number, sign: 1 | -1): ReadonlyMap<number, number> {
  const ranked = tested
    .map(({ raw_points, v, n_eff }, i) => ({ i, n_eff, p: upperTail((sign * raw_points) / Math.sqrt(v)) }))
    .filter(({ n_eff }) => n_eff >= least - ROUNDING)
    .toSorted((a, b) => a.p - b.p)
  const rates = new Map<number, number>()
  let rate = 1
  for (let rank = ranked.length; rank > 0; rank--) {
    const candidate = ranked[rank - 1]
    if (candidate === undefined) break
    rate = Math.min(rate, (candidate.p * ranked.length) / rank)
    rates.set(candidate.i, rate)
  }
  return rates
}

/** The probability that a standard normal number is above z: a series near 0, a continued fraction in the tail. */
export function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  if (z < 3) {
    let [term, sum] = [z, z]
    for (let n = 1; n < 60; n++) {
      term *= (z * z) / (2 * n + 1)
      sum += term
    }
    return 0.5 - density * sum
  }
  let fraction = z
  for (let n = 60; n > 0; n--) fraction = z + n / fraction
  return density / fraction
}
