import { z } from 'zod'

import type { Get, HttpRequest } from '#ingest/http/request.ts'
import type { AskPage } from '#sources/markets/follow_pages.ts'
import { limitlessHost } from '#sources/markets/limitless/hosts.ts'

import { cursorListing } from './cursor_listing.ts'
import { numberedListing, type AskNumbered, type NumberedPage, type Read, type TakePages } from './numbered_listing.ts'

type Query = NonNullable<HttpRequest['query']>

const anyRows = z.array(z.unknown())
const count = z.number().int().min(0)

/** The largest page of markets; the venue reduces a larger limit silently. */
const MARKETS_PER_PAGE = 25
/** The largest page of fills and of histories; the venue rejects a larger limit. */
const ROWS_PER_PAGE = 100
const MOST_ROUNDS = 3

/** All rows of a list. */
export type Listing = Read & { rows: unknown[] }

/** The active markets and groups. `totalMarketsCount` is the number of rows on all pages. */
const activePage = z.object({ data: anyRows, totalMarketsCount: count })

const withPages = z.object({ totalPages: count.nullish() })

/** The list of fills is called `events` or `data`. */
const eventsPage = z
  .union([z.object({ events: anyRows }), z.object({ data: anyRows }).transform(({ data }) => ({ events: data }))])
  .and(withPages)
  .transform(({ events, totalPages }): PageOf => (page) => ({ rows: events, end: endOf(page, totalPages) }))

/** The feed of a market: a list, or one with its number of pages. */
const feedPage = z
  .union([anyRows.transform((data) => ({ data, totalPages: null })), withPages.extend({ data: anyRows })])
  .transform(({ data, totalPages }): PageOf => (page) => ({ rows: data, end: endOf(page, totalPages) }))

const endOf = (page: number, totalPages: number | null | undefined): NumberedPage['end'] =>
  typeof totalPages !== 'number' ? 'unknown' : page < totalPages ? 'later' : 'here'

/** A page of an account's history: by cursor, or in older responses by number with the count of all rows. */
const historyPage = z.object({ data: anyRows, nextCursor: z.string().nullish(), totalCount: count.nullish() })

const ask = <T>(get: Get, path: string, query: Query, shape: z.ZodType<T>): Promise<T> =>
  get({ host: limitlessHost.name, path, query }, shape)

/** A page by its number and the rows before it. */
type PageOf = (page: number, before: number) => NumberedPage

const numbered =
  (get: Get, path: string, shape: z.ZodType<PageOf>): AskNumbered =>
  async ({ page, limit, before }) =>
    (await ask(get, path, { limit, page }, shape))(page, before)

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
  numberedListing(numbered(get, `/markets/${slug}/events`, eventsPage), { limit: ROWS_PER_PAGE, isExact: true }, take)

/** The feed of a market of the automated maker: its trades, and events of other types. Its limit may be reduced. */
export const marketFeed = (get: Get, slug: string, take: TakePages): Promise<Read> =>
  numberedListing(
    numbered(get, `/markets/${slug}/get-feed-events`, feedPage),
    { limit: ROWS_PER_PAGE, isExact: false },
    take,
  )

/** A market or group by its slug, whatever its state. */
export const marketBody = (get: Get, slug: string): Promise<unknown> => ask(get, `/markets/${slug}`, {}, z.unknown())

/** The whole history of an account. Returns also how it was paged. */
export async function accountHistory(get: Get, account: string, take: TakePages): Promise<Read & { paging: string }> {
  const path = `/portfolio/${account}/history`
  const first = await ask(get, path, { limit: ROWS_PER_PAGE }, historyPage)
  if (typeof first.totalCount === 'number' && !first.nextCursor) {
    const counted = historyPage.transform(({ data, totalCount }): PageOf => (_, before) => ({
      rows: data,
      end: before + data.length < (totalCount ?? 0) ? 'later' : 'here',
    }))
    const list = numbered(get, path, counted)
    const read = await numberedListing(list, { limit: ROWS_PER_PAGE, isExact: true }, take)
    return { ...read, paging: 'pages followed to their count' }
  }
  // A cursor belongs to the filter of its list, so every page repeats the filter.
  const askPage: AskPage = async (cursor, limit) => {
    const isFirst = cursor === undefined && limit === ROWS_PER_PAGE
    const page = isFirst ? first : await ask(get, path, { limit, cursor }, historyPage)
    return { rows: page.data, next: page.nextCursor || null }
  }
  return { ...(await cursorListing(askPage, ROWS_PER_PAGE, take)), paging: 'cursors followed to their end' }
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

const named = z.object({ slug: z.string() })

/** The slug of a market or group; otherwise the whole row. */
const identityOf = (row: unknown): string => named.safeParse(row).data?.slug ?? JSON.stringify(row)
