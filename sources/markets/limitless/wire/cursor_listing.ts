import { settling } from '#ingest/http/replay.ts'
import type { AskPage } from '#sources/markets/follow_pages.ts'

import type { Read, TakePages } from './numbered_listing.ts'

/**
 * Follows the cursors of a list to their end. A cursor belongs to the limit of its list, so suspicions are settled from
 * the start: a first page that is shorter than its request is requested again with its number of rows, and a list whose
 * last page is full is read again with pages of one row less. Throws if a cursor or a page repeats.
 */
export async function cursorListing(ask: AskPage, limit: number, { add }: Pick<TakePages, 'add'>): Promise<Read> {
  const { n_rows, pages, last } = await follow(ask, limit, add)
  const short = pages === 1 && last > 0 && last < limit ? await shortOf(ask, last) : null
  const cut = last === limit ? await cutOf(ask, n_rows, limit) : null
  return { pages, incompleteReason: short ?? cut }
}

/** The numbers of rows and pages, and of the rows of the last page. */
type Followed = { n_rows: number; pages: number; last: number }

async function follow(ask: AskPage, limit: number, add?: TakePages['add']): Promise<Followed> {
  let n_rows = 0
  const seen = new Set<string>()
  let before = ''
  for (let cursor: string | undefined; ;) {
    const page = await ask(cursor, limit)
    if (page.rows.length > limit) throw new Error(`page: ${page.rows.length} rows; expected at most ${limit}`)
    const text = JSON.stringify(page.rows)
    if (page.rows.length > 1 && text === before)
      throw new Error('page: it repeats the page before it; expected the next rows')
    before = text
    n_rows += page.rows.length
    await add?.(page.rows)
    if (page.next === null) return { n_rows, pages: seen.size + 1, last: page.rows.length }
    if (seen.has(page.next)) throw new Error(`cursor ${page.next}: repeated; expected a new cursor on each page`)
    seen.add(page.next)
    cursor = page.next
  }
}

async function shortOf(ask: AskPage, n: number): Promise<string | null> {
  const again = await settling(ask)(undefined, n)
  return again === undefined || again.rows.length >= n ? null : `${again.rows.length} of ${n} requested rows on a page`
}

async function cutOf(ask: AskPage, n_rows: number, limit: number): Promise<string | null> {
  const again = await settling(follow)(ask, limit - 1)
  if (again === undefined || again.n_rows >= n_rows) return null
  return `${n_rows} rows, the last page full and without a cursor; ${again.n_rows} on pages of ${limit - 1}`
}
