import { toBigInt, toNumber, type Amount } from './amount.ts'

/** 2 billion US dollars, in millionths. */
const pricedLimit = 2e15

/**
 * `value` x `part` / `whole`, rounded half to even; null stays null as NaN. `value` is a whole number within 2^53, and
 * `part` is at most `whole`, which is above 0.
 *
 * The quotient in floating point has an error below `value` x 2^-50. It decides the result unless it lies that close
 * to a half; then whole numbers decide.
 */
export function portion(value: number, part: Amount, whole: Amount): number {
  if (value === 0 || Number.isNaN(value)) return value
  const quotient = value * (toNumber(part) / toNumber(whole))
  const below = Math.floor(quotient)
  const margin = (Math.abs(value) + 1) * 2 ** -50
  // Adding 0 makes -0 a 0.
  if (Math.abs(quotient - below - 0.5) > margin) return Math.round(quotient) + 0
  return portionOf(value, toBigInt(part), toBigInt(whole))
}

/** The same of any `part`; a result of 2 billion US dollars or more is not priced. A whole of 0 is worth 0. */
export function portionOf(value: number, part: bigint, whole: bigint): number {
  if (Number.isNaN(value)) return value
  if (whole === 0n) return 0
  const result = Number(divideHalfEven(BigInt(value) * part, whole))
  return Math.abs(result) < pricedLimit ? result : Number.NaN
}

/** `numerator` / `denominator`, rounded half to even; `denominator` is above 0. */
function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const rest = numerator - quotient * denominator
  const twice = rest < 0n ? -2n * rest : 2n * rest
  if (twice < denominator || (twice === denominator && quotient % 2n === 0n)) return quotient
  return numerator < 0n ? quotient - 1n : quotient + 1n
}
