import { z } from 'zod'

import { zodReason } from '#ingest/http/response.ts'
import type { RejectedRow, RowsRead } from '#ingest/source.ts'
import type { DatasetName } from '#lake/datasets/index.ts'

/** Optional text; upstreams write missing text also as ''. */
export const maybeText = z
  .string()
  .nullish()
  .transform((text) => (text === undefined || text === '' ? null : text))

/** A field that may be missing, null or ''. */
export const maybe = <T>(shape: z.ZodType<T>) =>
  z.preprocess((value) => (value === '' || value === undefined ? null : value), shape.nullable())

/** The origin of rows, the list that collects rejected rows, and the counter of all rows. */
export type Parsing = { dataset: DatasetName; path: string; rejected: RejectedRow[]; n_read?: RowsRead }

/**
 * Parses rows one by one. A row that does not parse is rejected with the reason, and the other rows are parsed.
 * `n_read` counts all of them.
 */
export const parseRows = <T>(
  bodies: readonly unknown[],
  shape: z.ZodType<T>,
  { dataset, path, rejected, n_read }: Parsing,
): T[] => {
  const rows: T[] = []
  if (n_read !== undefined) n_read[dataset] = (n_read[dataset] ?? 0) + bodies.length
  for (const body of bodies) {
    const parsed = shape.safeParse(body)
    if (parsed.success) rows.push(parsed.data)
    else reject(rejected, { dataset, path, reason: zodReason(parsed.error), body })
  }
  return rows
}

/**
 * The most rejected rows that a reading keeps. A changed format rejects every row of a unit, of which there may be
 * millions; they are in memory until the unit is stored, and its raw responses have them all.
 */
export const mostRejected = 10_000

/** Keeps a rejected row, unless the reading has too many. */
export const reject = <T>(rejected: T[], row: T): void => {
  if (rejected.length < mostRejected) rejected.push(row)
}

/** The reason of a unit with rejected rows, of which at most `most` are kept. */
export const unparsed = (n_rows: number, most = mostRejected): string =>
  n_rows === 1 ? '1 row did not parse' : `${n_rows >= most ? 'at least ' : ''}${n_rows} rows did not parse`
