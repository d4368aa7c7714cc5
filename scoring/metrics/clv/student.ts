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
