import { z } from 'zod'

import { isoMicros, type Micros } from '#time.ts'

/** An instant of a parameter: `shown` is its one spelling, in UTC. */
export type Instant = { shown: string; at: Micros }

const form = 'a full ISO 8601 instant with a zone, such as 2026-03-01T12:00:00.000Z'

const pattern =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(?:(Z)|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** An optional instant. In a query a `+` stands for a space, so a space before the offset is read as `+`. */
export const instant = (about: string) =>
  z
    .string({ error: form })
    .transform((text, context): Instant => {
      const at = parseInstant(text.replace(/ (?=\d\d:\d\d$)/, '+'))
      if (at === null) context.addIssue({ code: 'custom', message: form })
      return at === null ? z.NEVER : { shown: `${isoMicros(at).replace(' ', 'T')}Z`, at }
    })
    .meta({
      type: 'string',
      format: 'date-time',
      description: `${about}: ${form}.`,
      example: '2026-03-01T12:00:00.000Z',
    })
    .optional()

/** The years of four digits in UTC. ISO 8601 writes others in a form that the database does not read. */
const leastAt = Date.parse('0000-01-01T00:00:00Z') * 1_000
const mostAt = Date.parse('9999-12-31T23:59:59.999Z') * 1_000 + 1_000

/** Null if the text is no instant: a field is missing or out of range, as in February 30. */
function parseInstant(text: string): Micros | null {
  const [, day = '', time = '', fraction = '', zulu, sign, hours = '0', minutes = '0'] = pattern.exec(text) ?? []
  const local_ms = Date.parse(`${day}T${time}Z`)
  if (Number.isNaN(local_ms) || new Date(local_ms).toISOString().slice(0, 10) !== day) return null
  const offset_min = zulu === undefined ? (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) : 0
  const at = (local_ms - offset_min * 60_000) * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  return at >= leastAt && at < mostAt ? at : null
}
