/** A trader's mean, its variance by chance, and the share of its risk that it made. */
export type Mean = { raw_points: number; v: number; maker_share: number }

/** The distribution of traders' true means: b0 + b1 maker_share, with the variance tau2 around it. */
export type Prior = { tau2: number; b0: number; b1: number }

/** The least number of traders that decide about a slope. */
const SLOPE_TRADERS = 10

/**
 * Fits the means of traders to a line over their maker shares, after DerSimonian and Laird: the variance around the
 * line beyond chance, then the line with the weights that it implies. A maker earns half a spread, a taker pays it.
 */
export function fitPrior(means: readonly Mean[]): Prior {
  const isSloped = means.length >= SLOPE_TRADERS && rangeOf(means) > 1e-6
  const fixed = regress(means, 0, isSloped)
  const scatter = sum(
    means,
    (traderMean) => (traderMean.raw_points - fixed.b0 - fixed.b1 * traderMean.maker_share) ** 2 / traderMean.v,
  )
  // The weights that the line itself takes up: the trace of the hat matrix, times the weights.
  const taken = sum(means, (traderMean) => {
    const slope = isSloped ? (traderMean.maker_share - fixed.centre) ** 2 / fixed.spread : 0
    return (1 / fixed.weights + slope) / (traderMean.v * traderMean.v)
  })
  const n_free = means.length - (isSloped ? 2 : 1)
  const tau2 = n_free === 0 ? 0 : Math.max(0, (scatter - n_free) / (fixed.weights - taken))
  const { b0, b1 } = regress(means, tau2, isSloped)
  return { tau2, b0, b1 }
}

type Line = { b0: number; b1: number; weights: number; centre: number; spread: number }

/** The weighted regression of means on maker shares, with the weights 1 / (v + tau2); without a slope the mean. */
function regress(means: readonly Mean[], tau2: number, isSloped: boolean): Line {
  const weight = ({ v }: Mean): number => 1 / (v + tau2)
  const weights = sum(means, weight)
  const centre = sum(means, (traderMean) => weight(traderMean) * traderMean.maker_share) / weights
  const mean = sum(means, (traderMean) => weight(traderMean) * traderMean.raw_points) / weights
  const spread = sum(means, (traderMean) => weight(traderMean) * (traderMean.maker_share - centre) ** 2)
  const both = sum(
    means,
    (traderMean) => weight(traderMean) * (traderMean.maker_share - centre) * (traderMean.raw_points - mean),
  )
  const b1 = isSloped ? both / spread : 0
  return { b0: mean - b1 * centre, b1, weights, centre, spread }
}

function rangeOf(means: readonly Mean[]): number {
  let [least, most] = [Infinity, -Infinity]
  for (const { maker_share } of means) {
    least = Math.min(least, maker_share)
    most = Math.max(most, maker_share)
  }
  return most - least
}

const sum = (means: readonly Mean[], term: (mean: Mean) => number): number =>
  means.reduce((total, mean) => total + term(mean), 0)
