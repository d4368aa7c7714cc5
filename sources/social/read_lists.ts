import type { z } from 'zod'

import type { HttpRequest } from '#ingest/http/request.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import type { ReadContext, ReadResult, RejectedRow, RowsRead } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'

import { unseenIn, type UnseenOf } from './new_rows.ts'
import { readBack, type Page, type Until } from './read_back.ts'

/** The lists of one upstream, the newest row `T` first, such as the channels of a platform. */
type Lists<T> = {
  names: readonly string[]
  /** The request for a page of a list: the first one, or the one at a cursor. */
  requestOf: (name: string, cursor: string | undefined) => HttpRequest
  /** The page of a response, with rows that are not parsed yet. */
  page: z.ZodType<Page<unknown>>
  row: z.ZodType<T>
  /** The id of the post of a row. */
  idOf: (row: T) => string
  /** Whether a row that is not stored is older than the reading before; by default none is. */
  isOld?: (row: T) => boolean
  until: Until
  mostPages: number
  isCapped?: boolean
}

/**
 * The rows of the lists: each row once, by the id of its post. `cut` names the lists that did not reach known posts.
 */
export type ReadLists<T> = {
  listed: readonly T[]
  rejected: RejectedRow[]
  n_read: RowsRead
  cut: readonly string[]
  unseenOf: UnseenOf
}

/** Reads each list back to posts that an earlier reading has. A row that does not parse is rejected. */
export async function readLists<T>(
  unit: Unit,
  context: Pick<ReadContext, 'get' | 'lake' | 'storedRows'>,
  { names, requestOf, page, row, idOf, isOld, until, mostPages, isCapped = false }: Lists<T>,
): Promise<ReadLists<T>> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const rowById = new Map<string, T>()
  const unseenOf = unseenIn(unit, context)
  const cut: string[] = []
  for (const name of names) {
    const pageAt = async (cursor: string | undefined): Promise<Page<T>> => {
      const request = requestOf(name, cursor)
      const { rows, next } = await context.get(request, page)
      return { rows: parseRows(rows, row, { dataset: 'posts', path: request.path, rejected, n_read }), next }
    }
    if ((await readBack({ pageAt, idOf, rowById, unseenOf, isOld, until, mostPages, isCapped })) === 'cut')
      cut.push(name)
  }
  return { listed: [...rowById.values()], rejected, n_read, cut, unseenOf }
}

/** A reading that is complete by its proof, or unverified for a reason. */
export const readingOf = <R>(
  rows: R,
  { rejected, n_read }: { rejected: RejectedRow[]; n_read: RowsRead },
  { proof, reason }: { proof: string; reason: string | undefined },
): ReadResult<R> =>
  reason === undefined
    ? { rows, rejected, n_read, state: 'complete', proof }
    : { rows, rejected, n_read, state: 'unverified', reason }
