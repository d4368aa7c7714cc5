import { DuckDBDecimalValue, DuckDBListValue, DuckDBStructValue, DuckDBTimestampValue } from '@duckdb/node-api'
import type { DuckDBValue } from '@duckdb/node-api'
import { z } from 'zod'

const candidate = z.object({
  type: z.enum(['wallet', 'market', 'social', 'signal']),
  entity: z.string(),
  direction: z.string(),
  symbol: z.string().nullable(),
  information: z.number(),
  confidence: z.number(),
  score: z.number(),
  is_published: z.boolean(),
  chain: z.string().nullable(),
  label: z.string().nullable(),
  question: z.string().nullable(),
  usd: z.number().nullable(),
  price: z.number().nullable(),
  before_price: z.number().nullable(),
  n_authors: z.number().nullable(),
  expected: z.number().nullable(),
  evidence: z.array(z.object({ kind: z.string(), ref: z.string(), ts: z.number(), value: z.number() })),
})

/** A row of `metrics.candidates`. Instants are in microseconds, `usd` is US dollars, prices are 0 to 1. */
export type Candidate = z.output<typeof candidate>

/** Parses a row of `metrics.candidates`. */
export const parseCandidate = (row: Record<string, DuckDBValue>): Candidate => candidate.parse(plain(row))

/** A row as plain JavaScript: instants in microseconds, decimals and counts as numbers, lists and structs as such. */
export const plain = (row: Record<string, DuckDBValue>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)]))

function plainValue(value: DuckDBValue): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof DuckDBTimestampValue) return Number(value.micros)
  if (value instanceof DuckDBDecimalValue) return value.toDouble()
  if (value instanceof DuckDBListValue) return value.items.map(plainValue)
  if (value instanceof DuckDBStructValue) return plain(value.entries)
  return value
}
