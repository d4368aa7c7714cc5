/** `amount` x `part` / `whole`, rounded half to even; `whole` is above 0. */
export const portion = (amount: bigint, part: bigint, whole: bigint): bigint => divideHalfEven(amount * part, whole)

/** `numerator` / `denominator`, rounded half to even; `denominator` is above 0. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const rest = numerator - quotient * denominator
  const twice = rest < 0n ? -2n * rest : 2n * rest
  if (twice < denominator || (twice === denominator && quotient % 2n === 0n)) return quotient
  return numerator < 0n ? quotient - 1n : quotient + 1n
}

/**
 * Divides whole millionths. Each part is the floor of an equal part, and the first parts get one more until no
 * remainder is left.
 */
export function shareOut<T>(amount: bigint, among: readonly T[], give: (to: T, part: bigint) => void): void {
  const count = BigInt(among.length)
  const rest = ((amount % count) + count) % count
  const floor = (amount - rest) / count
  among.forEach((to, index) => give(to, BigInt(index) < rest ? floor + 1n : floor))
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
