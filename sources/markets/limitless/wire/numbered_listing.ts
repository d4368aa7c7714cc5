import { settling } from '#ingest/http/replay.ts'
import { assertEndsOnce } from '#sources/markets/follow_pages.ts'

/** A page of a list that is paged by number, from 1 on, and where the list says that it ends. */
export type NumberedPage = { rows: unknown[]; end: 'here' | 'later' | 'unknown' }

/** Asks for a page of at most `limit` rows; `before`: the rows on the pages before it. */
export type AskNumbered = (request: { page: number; limit: number; before: number }) => Promise<NumberedPage>

/** The number of pages of a list, and the reason why rows may be missing. */
export type Read = { pages: number; incompleteReason: string | null }

/**
 * Takes the rows of a list page by page. A list that changed meanwhile is read again: `restart` drops the rows so far.
 */
export type TakePages = { add: (rows: readonly unknown[]) => Promise<void>; restart: () => Promise<void> }

type Paging = {
  limit: number
  /** The venue rejects a limit that it does not keep. Otherwise a page that is not full may be in the middle. */
  isExact: boolean
}

const MOST_ROUNDS = 3
/** More pages than any list has. */
const MOST_PAGES = 100_000

/**
 * Reads a list that is paged by number, from page 1, newest first. Rows that are added during paging shift all others.
 * Therefore the first page is read again at the end, and on a change the whole list. The end of the list is a page that
 * is not full, or an empty one, and never its number of pages alone. Throws if the list repeats rows.
 */
export async function numberedListing(ask: AskNumbered, paging: Paging, take: TakePages): Promise<Read> {
  for (let round = 1; ; round += 1) {
    const { first, pages, incompleteReason } = await readOnce(ask, paging, take)
    if (incompleteReason !== null) return { pages, incompleteReason }
    if (pages > 1) {
      const again = await ask({ page: 1, limit: paging.limit, before: 0 })
      if (JSON.stringify(again.rows) !== JSON.stringify(first)) {
        if (round === MOST_ROUNDS)
          return { pages, incompleteReason: `rows were added while it was paged, ${MOST_ROUNDS} times` }
        await take.restart()
        continue
      }
    }
    return { pages, incompleteReason: await shortReason(ask, first, paging) }
  }
}

/** Reads all pages once. */
async function readOnce(ask: AskNumbered, paging: Paging, take: TakePages): Promise<Read & { first: unknown[] }> {
  const { limit, isExact } = paging
  const first: unknown[] = []
  let before: readonly unknown[] = []
  let n_rows = 0
  for (let page = 1; ; page += 1) {
    const { rows, end } = await ask({ page, limit, before: n_rows })
    const read = (incompleteReason: string | null) => ({ first, pages: page, incompleteReason })
    if (rows.length > limit) throw new Error(`page ${page}: ${rows.length} rows; expected at most ${limit}`)
    if (page === 1) for (const row of rows) first.push(row)
    else if (rows.length > 0 && JSON.stringify(rows) === JSON.stringify(before))
      return read(`page ${page} repeats the page before it`)
    if (page > 1 && rows.length > 0 && before.length < first.length)
      return read(`page ${page - 1} has ${before.length} rows, and is not the last one`)
    await take.add(rows)
    n_rows += rows.length
    const isFull = rows.length >= (isExact ? limit : 1)
    if (!isFull && end === 'later') return read(`page ${page} has ${rows.length} rows, and is not the last one`)
    if (!isFull || page >= MOST_PAGES) return read(null)
    before = rows
  }
}

/**
 * Why the list may have more rows than its pages show: a first page that is shorter than its request is requested again
 * with its number of rows, of which none may be missing. Throws if the list repeats its last row.
 */
async function shortReason(ask: AskNumbered, first: readonly unknown[], { limit }: Paging): Promise<string | null> {
  const check = settling((page: number, n: number) => ask({ page, limit: n, before: 0 }))
  await assertEndsOnce(async (_, n) => check(1, n), undefined, first)
  const n = first.length
  if (n === 0 || n === limit) return null
  // A list of one row may be the half of two.
  const [page, expected] = n === 1 ? [2, 0] : [1, n]
  const again = await check(page, n)
  if (again === undefined || again.rows.length === expected) return null
  return `page ${page} has ${again.rows.length} rows where ${n} are requested; expected ${expected}`
}
