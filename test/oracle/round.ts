/** The whole number nearest to a quotient, the even one of two; the divisor is above 0. */
export function roundHalfEven(dividend: bigint, divisor: bigint): bigint {
  const below = floor(dividend, divisor)
  const twice_rest = 2n * (dividend - below * divisor)
  if (twice_rest < divisor) return below
  if (twice_rest > divisor) return below + 1n
  return below % 2n === 0n ? below : below + 1n
}

/** The whole number at or below a quotient, toward minus infinity; the divisor is above 0. */
export function floor(dividend: bigint, divisor: bigint): bigint {
  const towardZero = dividend / divisor
  return dividend % divisor < 0n ? towardZero - 1n : towardZero
}

/** The whole number nearest to a quotient, of two the one farther from 0; the divisor is above 0. */
export function roundHalfAway(dividend: bigint, divisor: bigint): bigint {
  const nearest = floor(2n * (dividend < 0n ? -dividend : dividend) + divisor, 2n * divisor)
  return dividend < 0n ? -nearest : nearest
}
