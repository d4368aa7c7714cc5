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
