import type { UnseenOf } from './new_rows.ts'

/** A page of a list, the newest first. `next` is the cursor of the page of older rows, if there is one. */
export type Page<T> = { rows: readonly T[]; next: string | undefined }

/** The page that ends a reading: with a known post, or with known posts alone where lists overlap. */
export type Until = 'known' | 'all known'

/** Reads pages of posts `T`, and collects them in `rowById` by their ids. */
type Pages<T> = {
  pageAt: (cursor: string | undefined) => Promise<Page<T>>
  idOf: (row: T) => string
  rowById: Map<string, T>
  unseenOf: UnseenOf
  /** Whether a row that is not stored is older than the reading before; by default none is. */
  isOld?: ((row: T) => boolean) | undefined
  until: Until
  mostPages: number
  /** Whether the upstream itself shows no more pages, so that the end of the last one may not be that of the list. */
  isCapped: boolean
}

/**
 * Reads a list back to posts that an earlier reading has. Returns how it ended: at `known` posts, at the `end` of the
 * list, or `cut` after the most pages.
 */
export async function readBack<T>(pages: Pages<T>): Promise<'known' | 'end' | 'cut'> {
  const { pageAt, idOf, rowById, unseenOf, isOld = () => false, until, mostPages, isCapped } = pages
  let cursor: string | undefined
  const asked = new Set<string>()
  for (let n = 0; n < mostPages; n++) {
    const { rows, next } = await pageAt(cursor)
    const unseen = await unseenOf(rows.map(idOf))
    for (const row of rows) rowById.set(idOf(row), row)
    const isKnown = unseen.size < new Set(rows.map(idOf)).size || rows.some(isOld)
    // A page without rows says nothing of the pages after it.
    if (rows.length > 0 && (until === 'known' ? isKnown : unseen.size === 0)) return 'known'
    if (next === undefined) return isCapped && n + 1 === mostPages ? 'cut' : 'end'
    // The cursors of a faulty upstream go round.
    if (asked.has(next)) return 'cut'
    asked.add(next)
    cursor = next
  }
  return 'cut'
}
