import { z } from 'zod'

import { SECOND, type Micros } from '#time.ts'

/**
 * Reads an ISO instant as microseconds: `2026-03-09T21:59:51.251657Z`, `2026-03-19 23:20:15+00` or, for midnight UTC,
 * `2026-03-13`. Returns null for anything else, such as a time without a zone.
 */
export const parseInstant = (text: string): Micros | null => {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d(?::?\d\d)?))?$/i.exec(text)
  if (parts === null) return null
  const [, day, time = '00:00:00', fraction = '', zone = 'Z'] = parts
  const zoneParts = /^([+-]\d\d):?(\d\d)?$/.exec(zone)
  const offset = zoneParts ? `${zoneParts[1]}:${zoneParts[2] ?? '00'}` : 'Z'
  const at_ms = Date.parse(`${day}T${time}${offset}`)
  if (Number.isNaN(at_ms)) return null
  return at_ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}

/** An ISO instant of the wire, as microseconds. */
export const isoInstant = z.string().transform((text, context) => {
  const at = parseInstant(text)
  if (at !== null) return at
  context.addIssue({ code: 'custom', message: `expected an ISO instant with a zone, got ${text.slice(0, 40)}` })
  return z.NEVER
})

/** Epoch seconds of the wire, as microseconds. Milliseconds would lie beyond the year 2100 and do not parse. */
export const epochSeconds = z
  .number()
  .min(Date.UTC(2000, 0) / 1000)
  .max(Date.UTC(2100, 0) / 1000)
  .transform((seconds) => Math.round(seconds * SECOND))
