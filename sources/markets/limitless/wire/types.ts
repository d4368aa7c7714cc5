import { z } from 'zod'

import { parseDecimal, times, type Decimal } from '#ingest/parse/decimals.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'
import type { Micros } from '#time.ts'

/** The id of a market in the lake. */
export const idOf = (slug: string): string => `${VENUE}:${slug}`

/** The slug of a market, or the address of an account, given with or without its venue. */
export const nativeId = (id: string): string =>
  (id.startsWith(`${VENUE}:`) ? id.slice(VENUE.length + 1) : id).toLowerCase()

/**
 * The outcome of a market as the lake names it. Histories of accounts give the number of an outcome, the markets of the
 * automated maker have no tokens, and only the order book's fills give a token. The number is common to all.
 */
export const tokenOf = (slug: string, outcome: number): string => `${slug}:${outcome}`

/** A market is named by its slug, which is lower-case and part of paths. */
export const marketSlug = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,250}$/, 'expected a slug of letters, digits and -')

/** 0 is YES, 1 is NO. */
export const outcomeIndex = z.union([z.literal(0), z.literal(1)], { error: 'expected the outcome 0 or 1' })

/** Epoch milliseconds of the wire, as microseconds. Seconds would lie before the year 2000 and do not parse. */
export const epochMillis = z
  .number()
  .min(Date.UTC(2000, 0))
  .max(Date.UTC(2100, 0))
  .transform((at_ms): Micros => Math.round(at_ms * 1000))

/** A plain decimal number: a JSON number or text. */
export const decimal = z.union([z.number(), z.string()]).transform((value, context) => {
  const parsed = parseDecimal(value)
  if (parsed !== null && parsed.units >= 0n) return parsed
  context.addIssue({ code: 'custom', message: `expected a number from 0 on, got ${String(value).slice(0, 40)}` })
  return z.NEVER
})

/** A raw amount, which the venue writes as the text of a whole number. A number is another field under its name. */
export const rawAmount = z
  .string()
  .regex(/^\d{1,60}$/, 'expected the text of a whole number')
  .pipe(decimal as z.ZodType<Decimal, string>)

const hundredth: Decimal = { units: 1n, places: 2 }

/** Whether a decimal is larger than a whole number. */
export const isMore = ({ units, places }: Decimal, than: number): boolean =>
  units > BigInt(than) * 10n ** BigInt(places)

/**
 * Prices from 0 to 1, given as such or, in older responses and for the automated maker, from 0 to 100. All prices of a
 * row have one scale, so one price above 1 decides for all.
 */
export const unitPrices = (prices: readonly Decimal[]): Decimal[] =>
  prices.some((price) => isMore(price, 1)) ? prices.map((price) => times(price, hundredth)) : [...prices]

/** A price of the wire, from 0 to 100. */
export const price = decimal.refine((value) => !isMore(value, 100), 'expected a price from 0 to 1, or from 0 to 100')

/** A raw amount: whole units of a token with the given number of decimals. */
export const scaled = ({ units, places }: Decimal, decimals: number): Decimal => ({ units, places: places + decimals })

/** The collateral of a market. Amounts of other tokens than dollars are not comparable. */
export const isDollar = (symbol: string): boolean => /^(USD|DAI$)/i.test(symbol)
