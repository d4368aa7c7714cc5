import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

import { replayHttp } from '#ingest/http/replay.ts'
import { keyOf } from '#ingest/http/request.ts'
import type { Lake } from '#lake/lake.ts'
import { dataHost } from '#sources/markets/polymarket/hosts.ts'
import { readFeed } from '#sources/markets/polymarket/wire/feed_pages.ts'

import { temporaryLake, type Upstream } from './fake.ts'
import { bareFeed, everyTen, follow, hour, longAgo, minute, one, second } from './feed_world.ts'
import { hex, tradeBody, v2Page, wallet } from './wire.ts'

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const text = z.object({ text: z.string() })
const select = async (sql: string) => (await lake.read(({ query }) => query(sql, text))).map((row) => row.text)
const minutes = () => select(`select strftime(ts, '%H:%M') as text from lake.fills where role = 'taker' order by 1`)
const states = () => select(`select right(unit, 2) || ' ' || state as text from lake.coverage order by unit`)

const at = one + 26 * minute
const body = (ts: number, more: Record<string, unknown> = {}) =>
  tradeBody({ timestamp: ts / second, transaction_hash: hex(ts / second), proxy_wallet: wallet(1), ...more })
/** A feed of these rows as they are, in pages of ten. */
const rowsAsListed =
  (rows: readonly unknown[]): Upstream =>
  (path, query) =>
    path === '/v2/trades' ? { body: v2Page(rows, query, 10) } : { status: 404 }

test('a trade of long ago between newer ones does not end the reading of an hour', async () => {
  const newer = everyTen.filter(({ ts, taker = true }) => taker && ts > longAgo.ts && ts <= at).toReversed()
  const rows = newer.map(({ ts }) => body(ts))
  rows.splice(1, 0, body(one - 40 * hour))
  rows.push(body(longAgo.ts))
  expect((await follow(lake, rowsAsListed(rows), at)).failures).toEqual([])
  expect(await minutes()).toEqual(['13:00', '13:10', '13:20'])
  expect(await states()).toEqual(['13 head'])
})

test.each([1, 9])(
  'trades of long ago at the end of a page, here %i, do not end the reading of an hour',
  async (n_strays) => {
    const inHour = Array.from({ length: 21 }, (_, n) => one + (20 - n) * minute)
    const rows = inHour.map((ts) => body(ts))
    const strays = Array.from({ length: n_strays }, (_, n) => body(one - 40 * hour - n * second))
    rows.splice(10 - n_strays, 0, ...strays)
    rows.push(body(longAgo.ts))
    expect((await follow(lake, rowsAsListed(rows), at)).failures).toEqual([])
    expect(await minutes()).toEqual(inHour.map((ts) => new Date(ts / 1000).toISOString().slice(11, 16)).toReversed())
    expect(await states()).toEqual(['13 head'])
  },
)

test('a stored reading that ends with one older row is parsed again without a page after it', async () => {
  const page = { data: [body(one), body(longAgo.ts)], pagination: { has_more: true, next_cursor: '2' } }
  const replies = [false, true].map((taker_only) => {
    const query = { filter_type: 'TOKENS', filter_amount: '0.000001', taker_only, limit: 1000 }
    const request = keyOf({ host: dataHost.name, path: '/v2/trades', query })
    return { ...request, host: dataHost.name, status: 200, body: JSON.stringify(page), received_at: at }
  })
  expect(await readFeed(replayHttp(replies), { goal: one, end: one + hour })).toMatchObject({
    reached: one,
    n_takers: 1,
  })
  await expect(readFeed(replayHttp(replies), { goal: one - 30 * hour, end: one + hour })).rejects.toThrow('no stored')
})

test('a page of which no row parses ends the reading, which stores nothing', async () => {
  const rows = Array.from({ length: 40 }, (_, n) =>
    body(one + 20 * minute - n * second, { timestamp: 1_789_381_477_000 }),
  )
  const { asked, failures } = await follow(lake, rowsAsListed(rows), at)
  expect(asked).toHaveLength(1)
  expect(failures).toEqual([
    expect.stringMatching(/^\/v2\/trades: no row of a page parses: timestamp: .*; expected trades$/),
  ])
  expect(await states()).toEqual(['13 missing'])
})

test('pages with some broken rows are read on', async () => {
  const upstream = bareFeed(
    everyTen.map((row, n) => (n % 3 === 0 ? { ...row, body: { price: 7 } } : row)),
    () => at,
  )
  expect((await follow(lake, upstream, at)).failures).toEqual([])
})
