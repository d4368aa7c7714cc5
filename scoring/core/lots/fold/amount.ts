/**
 * A token amount, a whole number from 0 to 2^256 - 1, in two halves that are exact as numbers: `high` x 2^50 + `low`.
 * Amounts from 2^103 on are rare. They have `high` = Infinity and `wide`. The halves spare the ledger an object and an
 * allocation for each amount.
 */
export type Amount = { high: number; low: number; wide: bigint }

const base = 2 ** 50
const bits = 50n
const lowMask = (1n << bits) - 1n
const narrowLimit = 1n << 103n

/** The amount 0, as a register that later operations overwrite. */
export const zero = (): Amount => ({ high: 0, low: 0, wide: 0n })

export const isZero = ({ high, low }: Amount): boolean => high === 0 && low === 0

export const isWide = ({ high }: Amount): boolean => high === Infinity

/** Copies `from` into `into`. */
export function copy(into: Amount, from: Amount): void {
  into.high = from.high
  into.low = from.low
  into.wide = from.wide
}

/** Negative if `a` is the smaller one, 0 if they are equal. */
export function compare(a: Amount, b: Amount): number {
  if (a.high !== b.high) return a.high < b.high ? -1 : 1
  if (a.high === Infinity) return a.wide < b.wide ? -1 : a.wide > b.wide ? 1 : 0
  return a.low - b.low
}

/** Subtracts `b`, which is at most `a`, from `a`. */
export function subtract(a: Amount, b: Amount): void {
  if (a.high === Infinity) return set(a, a.wide - toBigInt(b))
  a.high -= b.high
  a.low -= b.low
  if (a.low < 0) {
    a.low += base
    a.high -= 1
  }
}

export const toBigInt = ({ high, low, wide }: Amount): bigint =>
  high === Infinity ? wide : (BigInt(high) << bits) + BigInt(low)

/** The nearest number, with a relative error of at most 2^-52. */
export const toNumber = ({ high, low, wide }: Amount): number => (high === Infinity ? Number(wide) : high * base + low)

/** Makes `a` the amount `value`. */
export function set(a: Amount, value: bigint): void {
  const isNarrow = value < narrowLimit
  a.high = isNarrow ? Number(value >> bits) : Infinity
  a.low = isNarrow ? Number(value & lowMask) : 0
  a.wide = isNarrow ? 0n : value
}
