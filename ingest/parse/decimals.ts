import { z } from 'zod'

/** An exact decimal number: `units` x 10^-`places`. Exact values never become floats. */
export type Decimal = { units: bigint; places: number }

const MILLIONTHS = 6
/** The most decimal places of a double. */
const MOST_PLACES = 400
/** The most millionths of shares or dollars, those of a DECIMAL(18, 6). A larger number is a defect of the response. */
const MOST = 10n ** 18n - 1n

/**
 * Reads a JSON number or a decimal string. A double is read as its shortest decimal form, which is the number before
 * the upstream wrote a float. Returns null if the value is no plain number or has more than 100 digits.
 */
export const parseDecimal = (value: number | string): Decimal | null => {
  const text = String(value)
  // Most values are doubles without an exponent. Their form needs no check.
  if (typeof value === 'number' && Math.abs(value) < 1e21 && !text.includes('e')) {
    const point = text.indexOf('.')
    if (point < 0) return { units: BigInt(text), places: 0 }
    return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), places: text.length - point - 1 }
  }
  const parts = /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i.exec(text)
  if (parts === null || text.length > 100) return null
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = parts
  if (whole === '' && decimals === '') return null
  const places = decimals.length - Number(exponent)
  if (Math.abs(places) > MOST_PLACES) return null
  const units = BigInt(`${sign}${whole}${decimals}`)
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places }
}

const powers = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))
const tenTo = (n: number): bigint => powers[n] ?? 10n ** BigInt(n)

/** A decimal as millionths, rounded half away from zero. */
export const millionths = ({ units, places }: Decimal): bigint => {
  if (places <= MILLIONTHS) return units * tenTo(MILLIONTHS - places)
  const divisor = tenTo(places - MILLIONTHS)
  const cut = units / divisor
  const left = 2n * (units - cut * divisor)
  if (left >= divisor) return cut + 1n
  return left <= -divisor ? cut - 1n : cut
}

/** The exact product. Round once, at the end. */
export const times = (a: Decimal, b: Decimal): Decimal => ({ units: a.units * b.units, places: a.places + b.places })

const bounded = (what: string, most: bigint) =>
  z.union([z.number(), z.string()]).transform((value, context) => {
    const parsed = parseDecimal(value)
    if (parsed !== null && parsed.units >= 0n && millionths(parsed) <= most) return parsed
    context.addIssue({ code: 'custom', message: `expected ${what}, got ${String(value).slice(0, 40)}` })
    return z.NEVER
  })

/** The values of a quantity, as errors name them. */
export const quantityRange = 'a number from 0 to less than 10^12'
/** Shares or dollars. */
export const quantity = bounded(quantityRange, MOST)
/** Dollars a share. */
export const unitPrice = bounded('a price from 0 to 1', 1_000_000n)
/** A ratio from 0 to 1. */
export const fraction = bounded('a ratio from 0 to 1', 1_000_000n)
/** The exponent of a formula of fees. */
export const feeExponent = bounded('an exponent from 0 to 10', 10_000_000n)
