import { z } from 'zod'

export { maybe, maybeText, parseRows } from '#activities/parse/rows.ts'

/** The venue, which is the part of every unit. */
export const VENUE = 'polymarket'

/** The id of a market, event or neg-risk group in the lake. */
export const idOf = (native: string): string => `${VENUE}:${native}`

/** The native id of a market, given with or without its venue. */
export const nativeId = (id: string): string =>
  (id.startsWith(`${VENUE}:`) ? id.slice(VENUE.length + 1) : id).toLowerCase()

const hex = (digits: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]{${digits}}$`, 'i'), `expected ${what}`)
    .transform((text) => text.toLowerCase())

/** A market: 64 hexadecimal digits, or 62 for a combo, which the lake stores and staging leaves out. */
export const conditionId = hex('62}|0x[0-9a-f]{64', 'a condition id of 0x and 64 hexadecimal digits (62 of a combo)')
export const address = hex('40', 'an address of 0x and 40 hexadecimal digits')
export const txHash = hex('64', 'a transaction hash of 0x and 64 hexadecimal digits')
/** A number of up to 256 bits, as text. */
export const tokenId = z.string().regex(/^\d{1,78}$/, 'expected a token id of up to 78 decimal digits')

/** A list that the venue sends as JSON inside a string, and sometimes as a list. */
export const textList = z.union([z.array(z.string()), z.string()]).transform((value, context) => {
  const parsed = z.array(z.string()).safeParse(typeof value === 'string' ? jsonOrNull(value) : value)
  if (parsed.success) return parsed.data
  context.addIssue({ code: 'custom', message: `expected a JSON list of texts, got ${String(value).slice(0, 40)}` })
  return z.NEVER
})

const jsonOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
