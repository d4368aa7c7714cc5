import { z } from 'zod'

import type { Get, HttpRequest } from '#activities/http/request.ts'
import { limitlessHost } from '#activities/markets/limitless/hosts.ts'

type Query = NonNullable<HttpRequest['query']>

const anyRows = z.array(z.unknown())
const count = z.number().int().min(0)

/** The largest page of markets; the venue reduces a larger limit silently. */
const MARKETS_PER_PAGE = 25
/** The largest page of fills and of histories; the venue rejects a larger limit. */
const ROWS_PER_PAGE = 100
const byHundreds = { limit: ROWS_PER_PAGE }
const MOST_ROUNDS = 3
/** More pages than any list has. */
const MOST_PAGES = 100_000

/** The number of pages of a list, and the reason why rows may be missing. */
type Read = { pages: number; incompleteReason: string | null }

/** All rows of a list. */
export type Listing = Read & { rows: unknown[] }

/** Takes the rows of a list page by page. A list that changed meanwhile is read again: `restart` drops the rows so far. */
export type TakePages = { add: (rows: readonly unknown[]) => Promise<void>; restart: () => Promise<void> }

type NumberedPage = { rows: unknown[]; isLast: (page: number, n_rows: number) => boolean }

/** The active markets and groups. `totalMarketsCount` is the number of rows on all pages. */
const activePage = z.object({ data: anyRows, totalMarketsCount: count })

/** The list of fills is called `events` or `data`. Without a number of pages the end is a page that is not full. */
const eventsPage = z
  .union([z.object({ events: anyRows }), z.object({ data: anyRows }).transform(({ data }) => ({ events: data }))])
  .and(z.object({ totalPages: count.nullish() }))
  .transform(({ events, totalPages }): NumberedPage => ({
    rows: events,
    isLast: (page) => (typeof totalPages !== 'number' ? events.length < ROWS_PER_PAGE : page >= totalPages),
  }))

/** The feed of a market: a list, or one with its number of pages. Without that number the end is an empty page. */
const feedPage = z
  .union([
    anyRows.transform((data) => ({ data, totalPages: null })),
    z.object({ data: anyRows, totalPages: count.nullish() }),
  ])
  .transform(({ data, totalPages }): NumberedPage => ({
    rows: data,
    isLast: (page) => typeof totalPages === 'number' && page >= totalPages,
  }))

/** A page of an account's history: by cursor, or in older responses by number with the count of all rows. */
const historyPage = z.object({ data: anyRows, nextCursor: z.string().nullish(), totalCount: count.nullish() })

const ask = <T>(get: Get, path: string, query: Query, shape: z.ZodType<T>): Promise<T> =>
  get({ host: limitlessHost.name, path, query }, shape)

/**
 * All active markets and groups. Markets are added and removed all the time, which shifts rows to another page. A
 * reading is complete if it has as many different rows as the last page counts; otherwise the list is read again.
 */
export async function activeMarkets(get: Get): Promise<Listing> {
  for (let round = 1; ; round += 1) {
    const listed = new Map<string, unknown>()
    let pages = 0
    let total: number
    let n_rows: number
    do {
      pages += 1
      const page = await ask(get, '/markets/active', { limit: MARKETS_PER_PAGE, page: pages }, activePage)
      for (const row of page.data) listed.set(identityOf(row), row)
      total = page.totalMarketsCount
      n_rows = page.data.length
    } while (n_rows > 0 && pages * MARKETS_PER_PAGE < total)
    const all = [...listed.values()]
    if (all.length >= total) return { rows: all, pages, incompleteReason: null }
    if (round === MOST_ROUNDS) {
      return { rows: all, pages, incompleteReason: `${all.length} of ${total} active markets were on its pages` }
    }
  }
}

/** All settled fills of a market, of takers only. */
export const marketEvents = (get: Get, slug: string, take: TakePages): Promise<Read> =>
  numberedListing(get, { path: `/markets/${slug}/events`, query: byHundreds, shape: eventsPage }, take)

/** The feed of a market of the automated maker: its trades, and events of other types. */
export const marketFeed = (get: Get, slug: string, take: TakePages): Promise<Read> =>
  numberedListing(get, { path: `/markets/${slug}/get-feed-events`, query: byHundreds, shape: feedPage }, take)

/** A market or group by its slug, whatever its state. */
export const marketBody = (get: Get, slug: string): Promise<unknown> => ask(get, `/markets/${slug}`, {}, z.unknown())

/** The whole history of an account, and how it was paged. */
export async function accountHistory(get: Get, account: string): Promise<Listing & { paging: string }> {
  const path = `/portfolio/${account}/history`
  const query = byHundreds
  const first = await ask(get, path, query, historyPage)
  if (typeof first.totalCount === 'number' && !first.nextCursor) {
    const shape = historyPage.transform(({ data, totalCount }): NumberedPage => ({
      rows: data,
      isLast: (_, n_rows) => n_rows >= (totalCount ?? 0),
    }))
    const listing = await collected((take) => numberedListing(get, { path, query, shape }, take))
    return { ...listing, paging: 'pages followed to their count' }
  }
  const all = [...first.data]
  const seen = new Set<string>()
  let next = first.nextCursor
  while (next) {
    if (seen.has(next)) throw new Error(`cursor ${next}: repeated; expected a new cursor on each page`)
    seen.add(next)
    // A cursor belongs to the filter of its list, so every page repeats the filter.
    const page = await ask(get, path, { ...query, cursor: next }, historyPage)
    for (const row of page.data) all.push(row)
    next = page.nextCursor
  }
  return { rows: all, pages: seen.size + 1, incompleteReason: null, paging: 'cursors followed to their end' }
}

/** The rows of a list, all at once. */
export async function collected(read: (take: TakePages) => Promise<Read>): Promise<Listing> {
  let rows: unknown[] = []
  const listed = await read({
    add: async (page) => {
      for (const row of page) rows.push(row)
    },
    restart: async () => {
      rows = []
    },
  })
  return { ...listed, rows }
}

type Numbered = { path: string; query: Query; shape: z.ZodType<NumberedPage> }

/**
 * Reads a list that is paged by number, from page 1, newest first. Rows that are added during paging shift all others.
 * Therefore the first page is read again at the end, and on a change the whole list.
 */
async function numberedListing(get: Get, { path, query, shape }: Numbered, take: TakePages): Promise<Read> {
  for (let round = 1; ; round += 1) {
    const first = await ask(get, path, { ...query, page: 1 }, shape)
    await take.add(first.rows)
    let n_rows = first.rows.length
    let last = first
    let pages = 1
    while (!last.isLast(pages, n_rows) && last.rows.length > 0 && pages < MOST_PAGES) {
      pages += 1
      const before = last
      last = await ask(get, path, { ...query, page: pages }, shape)
      if (last.rows.length > 0 && JSON.stringify(last.rows) === JSON.stringify(before.rows))
        return { pages, incompleteReason: `page ${pages} repeats the page before it` }
      await take.add(last.rows)
      n_rows += last.rows.length
    }
    if (pages === 1) return { pages, incompleteReason: null }
    const again = await ask(get, path, { ...query, page: 1 }, shape)
    if (JSON.stringify(again.rows) === JSON.stringify(first.rows)) return { pages, incompleteReason: null }
    if (round === MOST_ROUNDS)
      return { pages, incompleteReason: `rows were added while it was paged, ${MOST_ROUNDS} times` }
    await take.restart()
  }
}

const named = z.object({ slug: z.string() })

/** The slug of a market or group; otherwise the whole row. */
const identityOf = (row: unknown): string => named.safeParse(row).data?.slug ?? JSON.stringify(row)
