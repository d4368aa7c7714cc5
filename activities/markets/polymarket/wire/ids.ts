import { z } from 'zod'

const hex = (digits: readonly number[], what: string) =>
  z
    .string()
    .regex(new RegExp(`^0x(?:${digits.map((n) => `[0-9a-f]{${n}}`).join('|')})$`, 'i'), `expected ${what}`)
    .transform((text) => text.toLowerCase())

/**
 * A market. Ids of 64 hexadecimal digits are conditions of the outcome tokens' first contract. Ids of 62 digits are
 * Protocol V2's, whose first byte names the module: 01 binary, 02 neg-risk, 03 combos, 04 directional. Staging leaves
 * out combos only.
 */
export const conditionId = hex([62, 64], 'a condition id of 0x and 64 hexadecimal digits (62 of Protocol V2)')
export const address = hex([40], 'an address of 0x and 40 hexadecimal digits')
export const txHash = hex([64], 'a transaction hash of 0x and 64 hexadecimal digits')
/** A number of up to 256 bits, as text. */
export const tokenId = z.string().regex(/^\d{1,78}$/, 'expected a token id of up to 78 decimal digits')

const PREFIX = 2
const V2_DIGITS = 62
/** The form that the Data API takes and may write: 32 bytes, the last of which is 0. */
const PADDING = '00'

const isV2 = (id: string): boolean => id.length === PREFIX + V2_DIGITS

/** An id of a market as a parameter of the Data API. */
export const paramOf = (id: string): string => (isV2(id) ? `${id}${PADDING}` : id)

/** The id of a market of Protocol V2, padded or not. */
export const v2Id = (id: string): string =>
  id.length === PREFIX + V2_DIGITS + PADDING.length && id.endsWith(PADDING) ? id.slice(0, -PADDING.length) : id

/**
 * The market of a token. The token of a V2 market is its condition with the outcome as last byte. A padded condition is
 * recognized by that, since the first contract's conditions may end with 00 too.
 */
export const marketOf = (condition: string, token: string): string => {
  const short = v2Id(condition)
  if (short === condition) return condition
  const digits = BigInt(token)
    .toString(16)
    .padStart(V2_DIGITS + PADDING.length, '0')
  return digits.startsWith(short.slice(PREFIX)) ? short : condition
}

/** The asked id that a row names, padded or not; the row's own id if it was not asked for. */
export const askedId = (condition: string, asked: ReadonlySet<string>): string => {
  const short = v2Id(condition)
  return !asked.has(condition) && asked.has(short) ? short : condition
}
