import { z } from 'zod'

/** Text of 0x and so many hexadecimal digits, in small letters. */
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
/** An account or a contract. */
export const address = hex([40], 'an address of 0x and 40 hexadecimal digits')
export const txHash = hex([64], 'a transaction hash of 0x and 64 hexadecimal digits')
/** A number of up to 256 bits, as text. */
export const tokenId = z.string().regex(/^\d{1,78}$/, 'expected a token id of up to 78 decimal digits')
