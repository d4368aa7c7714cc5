/** The 97.5th percentile of the standard normal distribution. */
const z = 1.959963984540054

/**
 * The 97.5th percentile of Student's t distribution, for 4 degrees of freedom and more, which need not be whole. It is
 * the expansion of Fisher and Cornish in the inverse of the degrees, to a thousandth.
 */
export function studentQuantile(degrees: number): number {
  const z2 = z * z
  const terms = [
    (z * (z2 + 1)) / 4,
    (z * ((5 * z2 + 16) * z2 + 3)) / 96,
    (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384,
    (z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945)) / 92_160,
  ]
  return terms.reduce((sum, term, i) => sum + term / degrees ** (i + 1), z)
}

/** The 95 % interval of a mean whose variance `v` was estimated with some degrees of freedom. */
export function intervalOf(mean: number, v: number, degrees: number): { lower: number; upper: number } {
  const half = studentQuantile(degrees) * Math.sqrt(v)
  return { lower: mean - half, upper: mean + half }
}

/**
 * The probability that a number of Student's t distribution is above t, by the normal number of the same rank after
 * Wallace. Its relative error is below a hundredth from 13 degrees of freedom and t of 4 down.
 */
export function upperTailOf(t: number, degrees: number): number {
  const scale = (8 * degrees + 1) / (8 * degrees + 3)
  return upperTail(Math.sign(t) * scale * Math.sqrt(degrees * Math.log1p((t * t) / degrees)))
}

/** The probability that a standard normal number is above a number: a series near 0, a continued fraction in the tail. */
export function upperTail(number: number): number {
  if (number < 0) return 1 - upperTail(-number)
  const density = Math.exp((-number * number) / 2) / Math.sqrt(2 * Math.PI)
  if (number < 3) {
    let [term, sum] = [number, number]
    for (let n = 1; n < 60; n++) {
      term *= (number * number) / (2 * n + 1)
      sum += term
    }
    return 0.5 - density * sum
  }
  let fraction = number
  for (let n = 60; n > 0; n--) fraction = number + n / fraction
  return density / fraction
}
