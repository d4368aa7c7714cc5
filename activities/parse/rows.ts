import { z } from 'zod'

import { zodReason } from '#activities/http/response.ts'
import type { RejectedRow } from '#activities/source.ts'
import type { DatasetName } from '#lake/datasets/index.ts'

/** Optional text; upstreams write missing text also as ''. */
export const maybeText = z
  .string()
  .nullish()
  .transform((text) => (text === undefined || text === '' ? null : text))

/** A field that may be missing, null or ''. */
export const maybe = <T>(shape: z.ZodType<T>) =>
  z.preprocess((value) => (value === '' || value === undefined ? null : value), shape.nullable())

/** Parses rows one by one. A row that does not parse is rejected with the reason, and the other rows are parsed. */
export const parseRows = <T>(
  bodies: readonly unknown[],
  shape: z.ZodType<T>,
  { dataset, path, rejected }: { dataset: DatasetName; path: string; rejected: RejectedRow[] },
): T[] => {
  const rows: T[] = []
  for (const body of bodies) {
    const parsed = shape.safeParse(body)
    if (parsed.success) rows.push(parsed.data)
    else rejected.push({ dataset, path, reason: zodReason(parsed.error), body })
  }
  return rows
}
