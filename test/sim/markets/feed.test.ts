import { afterEach, describe, expect, test } from 'vitest'

import { steppedClock } from '#sim/clock.ts'
import { serveWorld, type ServedWorld, type ServeOptions } from '#sim/server/server.ts'

import { ask, walkFeed, type WireRow } from './all_pages.ts'
import { keyOfFill, keysOf, now_s, world } from './facts.ts'

const open: ServedWorld[] = []
const serve = async (options: Partial<ServeOptions> = {}): Promise<ServedWorld> => {
  const served = await serveWorld({ world, clock: () => world.now, ...options })
  open.push(served)
  return served
}
afterEach(async () => {
  for (const served of open.splice(0)) await served.close()
})

const ts_sOf = (fill: number): number => world.matches.ts_s[world.fills.match[fill] ?? 0] ?? 0
/** The fills of a span of seconds, of all markets and of none. */
const fillsFrom = (from_s: number, to_s: number, isWanted: (fill: number) => boolean = () => true): number[] =>
  Array.from({ length: world.fills.length }, (_, fill) => fill).filter(
    (fill) => ts_sOf(fill) >= from_s && ts_sOf(fill) <= to_s && isWanted(fill),
  )
const month_s = Date.UTC(2026, 8, 1) / 1000
const unfiltered = 'filter_type=TOKENS&filter_amount=0.000001&limit=1000'
const isTaker = (fill: number) => world.fills.isTaker[fill] === 1
const timesOf = (rows: readonly WireRow[]) => rows.map((row) => Number(row['timestamp']))
const isNewestFirst = (rows: readonly WireRow[]): boolean =>
  timesOf(rows).every((at, i, times) => i === 0 || at <= (times[i - 1] ?? 0))

describe('the bare feed, version 2', () => {
  test('is each fill of this and the previous month, newest first; only takers by default', async () => {
    const { polymarket_data: dataUrl } = (await serve()).hosts
    const { rows } = await walkFeed(`${dataUrl}/v2/trades?${unfiltered}&taker_only=false`)
    expect(keysOf(rows)).toEqual(fillsFrom(month_s, now_s).map(keyOfFill).toSorted())
    expect(isNewestFirst(rows)).toBe(true)
    const takers = (await walkFeed(`${dataUrl}/v2/trades?${unfiltered}`)).rows
    expect(keysOf(takers)).toEqual(fillsFrom(month_s, now_s, isTaker).map(keyOfFill).toSorted())
  })

  test('leaves out trades of less than a hundredth of a share, unless a floor in dollars or shares is given', async () => {
    const { polymarket_data: dataUrl } = (await serve()).hosts
    const rowsOf = async (query: string) =>
      keysOf((await walkFeed(`${dataUrl}/v2/trades?taker_only=false&limit=1000&${query}`)).rows)
    const shown = (isWanted: (fill: number) => boolean) => fillsFrom(month_s, now_s, isWanted).map(keyOfFill).toSorted()
    const cash = (fill: number) => world.fills.cash[fill] ?? 0
    const size = (fill: number) => world.fills.size[fill] ?? 0
    const usual = shown((fill) => size(fill) >= 10_000)
    expect(await rowsOf('')).toEqual(usual)
    expect(await rowsOf('filter_amount=0')).toEqual(usual)
    const every = await rowsOf('filter_amount=0.000001')
    expect(every).toEqual(shown(() => true))
    expect(every.length).toBeGreaterThan(usual.length)
    expect(await rowsOf('filter_type=CASH&filter_amount=50')).toEqual(shown((fill) => cash(fill) >= 50e6))
    expect(await rowsOf('filter_type=TOKENS&filter_amount=50')).toEqual(shown((fill) => size(fill) >= 50e6))
    expect(shown((fill) => size(fill) >= 50e6)).not.toEqual(shown((fill) => cash(fill) >= 50e6))
    for (const query of ['filter_amount=much', 'filter_amount=-1', 'filter_type=SHARES']) {
      expect((await ask(`${dataUrl}/v2/trades?${query}`)).status).toBe(400)
    }
  })

  test('continues from a cursor with the filters of the new request, past rows that were added since', async () => {
    const { now, advance } = steppedClock(world.now - 3_600e6)
    const { polymarket_data: dataUrl } = (await serve({ clock: now })).hosts
    const url = `${dataUrl}/v2/trades?${unfiltered.replace('1000', '30')}&taker_only=false`
    const first = (await ask(url)).body as { data: WireRow[]; pagination: { next_cursor: string } }
    advance(3_600e6)
    const cursor = first.pagination.next_cursor
    const rest = (await walkFeed(url, cursor)).rows
    const all = fillsFrom(month_s, now_s - 3_600).map(keyOfFill)
    expect([...keysOf(first.data), ...keysOf(rest)].toSorted()).toEqual(all.toSorted())
    // Asked without them it forgets that all were wanted.
    const narrow = (await walkFeed(`${dataUrl}/v2/trades?${unfiltered}`, cursor)).rows
    const older_s = Math.min(...timesOf(first.data)) - 1
    expect(keysOf(narrow.filter((row) => Number(row['timestamp']) <= older_s))).toEqual(
      fillsFrom(month_s, older_s, isTaker).map(keyOfFill).toSorted(),
    )
  })

  test('shows a row once the lag has passed, and moves on with the clock', async () => {
    const { now, advance } = steppedClock(world.now - 86_400e6)
    const { polymarket_data: dataUrl } = (await serve({ clock: now, lag_s: 300 })).hosts
    const read = async () => keysOf((await walkFeed(`${dataUrl}/v2/trades?${unfiltered}&taker_only=false`)).rows)
    const expected = () =>
      fillsFrom(month_s, now() / 1e6 - 300)
        .map(keyOfFill)
        .toSorted()
    const early = await read()
    expect(early).toEqual(expected())
    advance(86_400e6)
    expect(await read()).toEqual(expected())
    expect(expected().length).toBeGreaterThan(early.length)
  })

  test('begins anew with the month', async () => {
    const { now, advance } = steppedClock(Date.UTC(2026, 9, 1) * 1000 - 1e6)
    const { polymarket_data: dataUrl } = (await serve({ clock: now })).hosts
    const oldest = async () =>
      Math.min(...timesOf((await walkFeed(`${dataUrl}/v2/trades?${unfiltered}&taker_only=false`)).rows))
    const at = (month: number) => Date.UTC(2026, month, 1) / 1000
    expect(await oldest()).toBe(Math.min(...fillsFrom(at(7), at(9)).map(ts_sOf)))
    advance(1e6)
    expect(await oldest()).toBe(Math.min(...fillsFrom(at(8), at(9)).map(ts_sOf)))
  })
})

describe('the bare feed, version 1', () => {
  const pageOf = async (url: string): Promise<WireRow[]> => (await ask(url)).body as WireRow[]

  test('is of all markets, newest first, 10,000 rows to a page and no offset beyond that', async () => {
    const { polymarket_data: dataUrl } = (await serve({ dataApi: 'v1' })).hosts
    const rows = await pageOf(`${dataUrl}/trades?limit=20000&takerOnly=false`)
    const all = fillsFrom(0, now_s)
    expect(rows.length).toBe(Math.min(all.length, 10_000))
    expect(isNewestFirst(rows)).toBe(true)
    const takers = await pageOf(`${dataUrl}/trades?limit=10000`)
    expect(takers.length).toBe(Math.min(fillsFrom(0, now_s, isTaker).length, 10_000))
    expect(await pageOf(`${dataUrl}/trades?limit=50&offset=10000&takerOnly=false`)).toHaveLength(
      Math.min(50, Math.max(0, all.length - 10_000)),
    )
    expect((await ask(`${dataUrl}/trades?offset=10001&takerOnly=false`)).status).toBe(400)
  })

  test('shifts by the rows that were added between two pages', async () => {
    const { now, advance } = steppedClock(world.now - 86_400e6)
    const { polymarket_data: dataUrl } = (await serve({ clock: now, dataApi: 'v1' })).hosts
    const first = await pageOf(`${dataUrl}/trades?limit=40&takerOnly=false`)
    advance(86_400e6)
    const n_new = fillsFrom(now_s - 86_399, now_s).length
    const later = await pageOf(`${dataUrl}/trades?limit=40&takerOnly=false&offset=${n_new}`)
    expect(n_new).toBeGreaterThan(0)
    expect(keysOf(later.map(inWordsOfV2))).toEqual(keysOf(first.map(inWordsOfV2)))
  })
})

const inWordsOfV2 = ({ proxyWallet: proxy_wallet, asset: token_id, ...row }: WireRow): WireRow => ({
  ...row,
  proxy_wallet,
  token_id,
})
