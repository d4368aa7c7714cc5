import { z } from 'zod'

import type { Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import type { RawReply } from './segment.ts'

/**
 * The reading that the answers belong to: its unit, its instant, and the watermark that its upstream was asked for,
 * without which it could not be read again.
 */
export type RawReading = { unit: Unit; at: Micros; watermark?: { head: number; final: number } | undefined }

const shape = z.object({
  at: z.number(),
  watermark: z.object({ head: z.number(), final: z.number() }).optional(),
  unit: z.object({
    source: z.string(),
    kind: z.enum(['history', 'hour', 'observation', 'blocks']),
    part: z.string(),
    key: z.string(),
    from: z.number(),
    to: z.number().nullable(),
    params: z.array(z.string()),
  }),
})

/** Replaces the host in the first line, which describes the reading itself. */
const header = 'unit'

/** The first line of a file of raw responses. */
export const headerOf = ({ unit, at, watermark }: RawReading): RawReply => ({
  host: header,
  path: '',
  query: '',
  status: 0,
  body: JSON.stringify({ unit, at, watermark }),
})

/** The reading that the first line of a file describes. */
export function readReading(path: string, first: RawReply | undefined): RawReading {
  if (first?.host !== header)
    throw new Error(`${path}: the first line is not its unit; expected a file of raw responses`)
  return shape.parse(JSON.parse(first.body))
}
