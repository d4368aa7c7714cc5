import { DuckDBDecimalValue, DuckDBListValue, DuckDBStructValue, DuckDBTimestampValue } from '@duckdb/node-api'
import type { DuckDBValue } from '@duckdb/node-api'
import { z } from 'zod'

/** A value of a row as plain JavaScript: instants in microseconds, decimals as numbers, lists and structs as such. */
function plain(value: DuckDBValue): unknown {
  if (value instanceof DuckDBTimestampValue) return Number(value.micros)
  if (value instanceof DuckDBDecimalValue) return value.toDouble()
  if (value instanceof DuckDBListValue) return value.items.map(plain)
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, item]) => [name, plain(item)]))
  return value
}

const candidate = z.object({
  type: z.enum(['wallet', 'market', 'social', 'signal']),
  entity: z.string(),
  direction: z.string(),
  symbol: z.string().nullable(),
  information: z.number(),
  confidence: z.number(),
  score: z.number(),
  is_published: z.boolean(),
  label: z.string().nullable(),
  question: z.string().nullable(),
  usd: z.number().nullable(),
  price: z.number().nullable(),
  before_price: z.number().nullable(),
  evidence: z.array(z.object({ kind: z.string(), ref: z.string(), ts: z.number(), value: z.number() })),
})

/** A row of `metrics.candidates`. Instants are in microseconds, `usd` is US dollars, prices are 0 to 1. */
export type Candidate = z.output<typeof candidate>

/** Parses a row of `metrics.candidates`. */
export const parseCandidate = (row: Record<string, DuckDBValue>): Candidate =>
  candidate.parse(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
