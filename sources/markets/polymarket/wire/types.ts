import { z } from 'zod'

import { polymarket } from '#registry/venues/polymarket.ts'

export { maybe, maybeText, parseRows } from '#ingest/parse/rows.ts'

/** The venue, which is the part of every unit. */
export const VENUE = polymarket.id

/** The id of a market, event or neg-risk group in the lake. */
export const idOf = (native: string): string => `${VENUE}:${native}`

/** The native id of a market, given with or without its venue. */
export const nativeId = (id: string): string =>
  (id.startsWith(`${VENUE}:`) ? id.slice(VENUE.length + 1) : id).toLowerCase()

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
