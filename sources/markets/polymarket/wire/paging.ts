import { z } from 'zod'

import type { HttpRequest, Get } from '#ingest/http/request.ts'
import { followPages, type CursorPage } from '#sources/markets/follow_pages.ts'
import { clobHost, dataHost, gammaHost } from '#sources/markets/polymarket/hosts.ts'
import type { Micros } from '#time.ts'

type Query = NonNullable<HttpRequest['query']>

/** base64 of -1, the CLOB's end cursor. */
const CLOB_END = 'LTE='

/** The most rows of a page of the Data API. */
const dataLimits = { limit: 1000, full: 1000 }
/** Lists without a parameter for the length of a page, whose end has a mark. */
const unlimited = { limit: Infinity, full: Infinity }

const rows = z.array(z.unknown())
const nextCursor = z.string().nullish()

/** The venue states the end twice. A renamed cursor then contradicts `has_more`, and does not end the list early. */
const pagination = z
  .object({ has_more: z.boolean(), next_cursor: nextCursor })
  .refine(({ has_more, next_cursor }) => has_more === Boolean(next_cursor), {
    path: ['next_cursor'],
    message: 'expected a cursor exactly if has_more is true',
  })

const dataPage = z
  .object({ data: rows, pagination })
  .transform(({ data, pagination: { next_cursor } }): CursorPage => ({ rows: data, next: next_cursor || null }))

/** A route that is asked for ids may answer them all without pages. */
const dataRows = z
  .object({ data: rows, pagination: pagination.nullish() })
  .transform((body): CursorPage => ({ rows: body.data, next: body.pagination?.next_cursor || null }))

const gammaPage = {
  markets: z.object({ markets: rows, next_cursor: nextCursor }).transform(toPage('markets')),
  events: z.object({ events: rows, next_cursor: nextCursor }).transform(toPage('events')),
}

const clobPage = z
  .object({ data: rows.nullable(), next_cursor: z.string() })
  .transform(({ data, next_cursor }): CursorPage => ({
    rows: data ?? [],
    next: next_cursor === CLOB_END ? null : next_cursor,
  }))

function toPage<K extends string>(field: K) {
  return (body: Record<K, unknown[]> & { next_cursor?: string | null | undefined }): CursorPage => ({
    rows: body[field],
    next: body.next_cursor || null,
  })
}

/** Pages of the Data API v2. Its cursors do not contain the filters, so every page repeats them. */
export const dataPages = (get: Get, path: string, query: Query): AsyncGenerator<unknown[]> =>
  followPages(
    (cursor, limit) => get({ host: dataHost.name, path, query: { ...query, limit, cursor } }, dataPage),
    dataLimits,
  )

/** Pages of the Data API v2 for a list of ids. */
export const dataOfIds = (get: Get, path: string, query: Query): AsyncGenerator<unknown[]> =>
  followPages((cursor) => get({ host: dataHost.name, path, query: { ...query, cursor } }, dataRows), unlimited)

/**
 * Pages of the Data API's trades. Its cache gives a page without a cursor for five minutes, with holes. Such a page is
 * therefore requested past the cache. The address of a later page has the cursor, which differs each time.
 */
export const tradePages = (get: Get, query: Query): AsyncGenerator<unknown[]> =>
  followPages(
    (cursor, limit) =>
      get(
        {
          host: dataHost.name,
          path: '/v2/trades',
          query: { ...everySize, ...query, limit, cursor },
          ...(cursor === undefined ? { isPastCache: true } : {}),
        },
        dataPage,
      ),
    dataLimits,
  )

/**
 * The filter that shows the smallest trades. Without one, and with 0, the venue omits fills of less than 0.01 shares. A
 * number in exponential form would not be a plain decimal.
 */
const everySize = { filter_type: 'TOKENS', filter_amount: '0.000001' }

/**
 * Pages of a gamma keyset list. Its limits are reduced silently, so a short page proves nothing. The last page has no
 * mark of the end, so that a lost cursor looks like it.
 */
export const gammaPages = (get: Get, field: 'markets' | 'events', query: Query): AsyncGenerator<unknown[]> => {
  const path = `/${field}/keyset`
  return followPages(
    (after_cursor, limit) =>
      get({ host: gammaHost.name, path, query: { ...query, limit, after_cursor } }, gammaPage[field]),
    { limit: GAMMA_LIMIT[field], full: LEAST_GAMMA_PAGE },
  )
}

/** The requested rows of a page, of which gamma shows 100 today. */
const GAMMA_LIMIT = { markets: 500, events: 100 }
/** The shortest page that gamma cuts, if the limit were lost. */
const LEAST_GAMMA_PAGE = 20

/** Pages of the CLOB's list of all markets. */
export const clobPages = (get: Get): AsyncGenerator<unknown[]> =>
  followPages(
    (next_cursor) => get({ host: clobHost.name, path: '/markets', query: { next_cursor } }, clobPage),
    unlimited,
  )

/**
 * All rows of a list that is paged by offset, and the reason why they may be incomplete. `isCutOff`: there may be older
 * rows.
 */
export type OffsetListing = { rows: unknown[]; incompleteReason: string | null; isCutOff: boolean }

/** The start of the complete part of a list that was cut off: a part of its oldest second may be missing. */
export const wholeFrom = (listed: readonly { timestamp: Micros }[]): Micros =>
  listed.reduce((oldest, { timestamp }) => Math.min(oldest, timestamp), Infinity) + 1_000_000

/** The v1 routes reject larger offsets. */
const LARGEST_OFFSET = 10_000
export const MOST_ROUNDS = 3

/**
 * Pages of a list of the Data API v1 with the given number of rows, up to the largest offset or an empty page. Rows
 * that are added during paging shift all others, so several pages require a check of the first page.
 */
export async function* offsetPages(get: Get, path: string, query: Query): AsyncGenerator<unknown[]> {
  for (let offset = 0; offset <= LARGEST_OFFSET;) {
    const page = await get({ host: dataHost.name, path, query: { ...query, offset } }, rows)
    if (page.length === 0) return
    yield page
    offset += page.length
  }
}

/**
 * Reads a list of the Data API v1. Rows that are added during paging shift all others. Therefore the first page is read
 * again at the end, and on a change the whole list. A short page may not be the last, so the end is an empty page.
 */
export async function offsetListing(get: Get, path: string, query: Query): Promise<OffsetListing> {
  const ask = (offset: number) => get({ host: dataHost.name, path, query: { ...query, offset } }, rows)
  for (let round = 1; ; round += 1) {
    const first = await ask(0)
    const all = [...first]
    let last = first
    while (last.length > 0 && all.length <= LARGEST_OFFSET) {
      last = await ask(all.length)
      for (const row of last) all.push(row)
    }
    if (last.length > 0) {
      return {
        rows: all,
        isCutOff: true,
        incompleteReason: `v1 shows no more than its first ${all.length} rows: offsets end at ${LARGEST_OFFSET}`,
      }
    }
    if (first.length === 0 || JSON.stringify(await ask(0)) === JSON.stringify(first)) {
      return { rows: all, isCutOff: false, incompleteReason: null }
    }
    if (round === MOST_ROUNDS) {
      return {
        rows: all,
        isCutOff: false,
        incompleteReason: `rows were added while it was paged, ${MOST_ROUNDS} times`,
      }
    }
  }
}
