import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'

import { temporaryLake } from './fake.ts'
import { bareFeed, everyTen, follow, hour, longAgo, minute, one, type Trade } from './feed_world.ts'
import { hex } from './wire.ts'

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const text = z.object({ text: z.string() })
const select = async (sql: string) => (await lake.read(({ query }) => query(sql, text))).map((row) => row.text)
const stored = () => select(`select strftime(ts, '%H:%M') || ' ' || role as text from lake.fills order by 1`)
const coverage = () =>
  select(
    `select concat_ws(' ', right(unit, 2), state, strftime(to_at, '%H:%M'), 'because ' || reason) as text
     from lake.coverage order by unit`,
  )
/** Both sides of the trades of these minutes. */
const both = (...times: string[]) => times.flatMap((time) => [`${time} maker`, `${time} taker`])

describe('the hour of the feed', () => {
  test('is read twice, newest first, to beyond its start; rows that the caches may lack are left for later', async () => {
    const at = one + 26 * minute
    const { asked, units } = await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    const query = 'filter_amount=0.000001&filter_type=TOKENS&limit=1000&taker_only='
    expect(asked).toEqual([
      `/v2/trades?${query}false`,
      `/v2/trades?cursor=3&${query}false`,
      `/v2/trades?cursor=6&${query}false`,
      `/v2/trades?cursor=9&${query}false`,
      `/v2/trades?${query}true`,
      `/v2/trades?cursor=3&${query}true`,
      `/v2/trades?cursor=6&${query}true`,
    ])
    expect(units).toEqual(['13'])
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20'))
    expect(await coverage()).toEqual(['13 head 13:21'])
  })

  test('is read back to the stored rows, which are carried over', async () => {
    let at = one + 26 * minute
    const upstream = bareFeed(everyTen, () => at)
    await follow(lake, upstream, at)
    at += 10 * minute
    expect((await follow(lake, upstream, at)).asked).toHaveLength(4)
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20', '13:30'))
    // Nothing new: two pages of each listing say so, since the three rows of one may be strays.
    at += minute
    expect((await follow(lake, upstream, at)).asked).toHaveLength(4)
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20', '13:30'))
    expect(await coverage()).toEqual(['13 head 13:32'])
  })

  test('ends, and is read again as a whole after it settled, with rows that were added late', async () => {
    let at = one + 59 * minute
    let trades = everyTen
    const upstream = bareFeed([], () => at)
    const feed = (...args: Parameters<typeof upstream>) => bareFeed(trades, () => at)(...args)
    await follow(lake, feed, at)
    at = one + 66 * minute
    expect((await follow(lake, feed, at)).units).toEqual(['13', '14'])
    expect(await coverage()).toEqual(['13 head 14:00', '14 head 14:01'])
    trades = [...everyTen, { ts: one + 5 * minute }]
    at = one + 74 * minute
    expect((await follow(lake, feed, at)).units).toEqual(['14'])
    expect(await stored()).not.toContain('13:05 taker')
    at = one + 75 * minute
    expect((await follow(lake, feed, at)).units).toEqual(['13', '14'])
    expect(await stored()).toContain('13:05 taker')
    expect(await coverage()).toEqual(['13 done 14:00', '14 head 14:10'])
    at = one + 76 * minute
    expect((await follow(lake, feed, at)).units).toEqual(['14'])
  })

  test('keeps roles and numbers of rows alike, across readings', async () => {
    const pair = (ts: number, tx: number): Trade[] => [
      { ts, tx },
      { ts, tx },
      { ts, tx, taker: false, body: { proxy_wallet: '0x'.padEnd(42, 'b'), side: 'BUY' } },
    ]
    const trades = [longAgo, ...pair(one + minute, 1), ...pair(one + 9 * minute, 2)]
    let at = one + 8 * minute
    const upstream = bareFeed(trades, () => at)
    const rows = () =>
      select(
        `select concat_ws(' ', strftime(ts, '%M'), right(trader, 2), role, seq) as text from lake.fills order by 1`,
      )
    await follow(lake, upstream, at)
    const first = ['01 01 taker 0', '01 01 taker 1', '01 bb maker 0']
    expect(await rows()).toEqual(first)
    at = one + 15 * minute
    await follow(lake, upstream, at)
    expect(await rows()).toEqual([...first, ...first.map((row) => `09${row.slice(2)}`)])
  })

  test('holds combos under their own id', async () => {
    const combo = { ts: one + minute, body: { condition_id: hex(7, 62) } }
    await follow(
      lake,
      bareFeed([longAgo, combo], () => one + 10 * minute),
      one + 10 * minute,
    )
    expect(await select('select market_id as text from lake.fills')).toEqual([`polymarket:${hex(7, 62)}`])
  })
})

describe('a row that does not parse', () => {
  const bad = (ts: number): Trade => ({ ts, body: { price: 52 } })
  const quarantined = () => select(`select right(unit, 2) || ' ' || reason as text from lake.quarantine order by 1`)

  test('belongs to the hour of the row before it, is kept in quarantine, and unverified until it is gone', async () => {
    const trades = [...everyTen, bad(one + 15 * minute), bad(one - 15 * minute)]
    let at = one + 31 * minute
    const upstream = bareFeed(trades, () => at, { pageSize: 1000 })
    await follow(lake, upstream, at)
    const reason = 'price: expected a price from 0 to 1, got 52'
    expect(await quarantined()).toEqual([`13 ${reason}`])
    at += 5 * minute
    await follow(lake, upstream, at)
    expect(await quarantined()).toEqual([`13 ${reason}`])
    expect(await coverage()).toEqual(['13 quarantined 13:31 because 1 row did not parse'])
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20', '13:30'))
    trades.splice(-2)
    at += 5 * minute
    await follow(lake, upstream, at)
    expect(await quarantined()).toEqual([])
    expect(await coverage()).toEqual(['13 head 13:36'])
  })
})

describe('an hour that is not shown whole', () => {
  const ending = 'the feed shows the current and the previous month'

  test('is unverified and names the missing part; stored rows stay', async () => {
    let at = one + 16 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    at = one + 56 * minute
    // Six rows: the last three trades and their makers.
    await follow(
      lake,
      bareFeed(everyTen, () => at, { shown: 6 }),
      at,
    )
    expect(await stored()).toEqual(both('13:00', '13:10', '13:40', '13:50'))
    const gap = `nothing was read from 2026-11-20 13:11:00.000000 to 2026-11-20 13:30:01.000000: ${ending}`
    expect(await coverage()).toEqual([`13 unverified 13:51 because ${gap}`])
    // The gap stays until the feed shows all of it again.
    at = one + 58 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at, { shown: 4 }),
      at,
    )
    expect(await coverage()).toEqual([`13 unverified 13:53 because ${gap}`])
    expect(await stored()).toEqual(both('13:00', '13:10', '13:40', '13:50'))
    at = one + 59 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    expect(await coverage()).toEqual(['13 head 13:54'])
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20', '13:30', '13:40', '13:50'))
  })

  test('is as it was where the last reading, of the settled hour, sees less than those before it', async () => {
    let at = one + 40 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    at = one + 70 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    at = one + 80 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at, { shown: 6 }),
      at,
    )
    expect(await coverage()).toEqual(['13 done 14:00', '14 head 14:15'])
    expect(await stored()).toHaveLength(2 * 8)
  })

  test('is unavailable when nothing of it is shown and nothing is stored, and is left alone then', async () => {
    const at = one + 3 * hour
    const upstream = bareFeed(everyTen, () => at, { shown: 8 })
    await follow(lake, upstream, at, { includeOpen: false, from: one, to: one + 2 * hour })
    expect(await coverage()).toEqual([
      `13 unavailable 14:00 because ${ending}`,
      `14 unavailable 15:00 because ${ending}`,
    ])
    expect((await follow(lake, upstream, at, { includeOpen: false, from: one, to: one + 2 * hour })).units).toEqual([])
  })

  test('of the month before the last is unavailable without a question', async () => {
    const from = Date.UTC(2026, 8, 30, 23) * 1000
    const { asked } = await follow(
      lake,
      bareFeed(everyTen, () => one),
      one,
      { includeOpen: false, from, to: from + hour },
    )
    expect([asked, await coverage()]).toEqual([[], [`23 unavailable 00:00 because ${ending}`]])
  })

  test('of a venue without a feed is unavailable', async () => {
    await follow(lake, () => ({ status: 404 }), one + 30 * minute)
    expect(await coverage()).toEqual([expect.stringMatching(/^13 unavailable 13:25 because .*\/trades answered 404/)])
  })
})

describe('the feed by v1, where v2 is absent', () => {
  test('is a page of 10,000 rows, which is complete', async () => {
    const at = one + 26 * minute
    const { asked } = await follow(
      lake,
      bareFeed(everyTen, () => at, { version: 'v1', pageSize: 10_000 }),
      at,
    )
    expect(asked).toEqual([
      '/v2/trades?filter_amount=0.000001&filter_type=TOKENS&limit=1000&taker_only=false',
      '/trades?limit=10000&offset=0&takerOnly=false',
      '/trades?limit=10000&offset=0&takerOnly=true',
      // The page of takers ends with seven older rows alone.
      '/trades?limit=10000&offset=10&takerOnly=true',
    ])
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20'))
    expect(await coverage()).toEqual(['13 head 13:21'])
  })

  test('is read anew when rows were added between two pages', async () => {
    const until = (n: number) => {
      let calls = 0
      return () => one + 26 * minute + Math.min(n, calls++) * 10 * minute
    }
    const at = one + 26 * minute
    await follow(lake, bareFeed(everyTen, until(3), { version: 'v1', pageSize: 4 }), at)
    expect(await coverage()).toEqual(['13 head 13:21'])
    expect(await stored()).toEqual(both('13:00', '13:10', '13:20'))
  })

  test('is unverified where rows are added whenever it is paged', async () => {
    const at = one + 26 * minute
    const dense = [longAgo, ...Array.from({ length: 600 }, (_, n) => ({ ts: one - minute + n * minute }))]
    let calls = 0
    const now = () => at + calls++ * minute
    await follow(lake, bareFeed(dense, now, { version: 'v1', pageSize: 9 }), at)
    expect(await coverage()).toEqual([
      expect.stringMatching(/^13 unverified 13:21 because rows were added while it was paged, 3 times/),
    ])
  })

  test('is unverified where it ends too soon', async () => {
    const at = one + 56 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at, { version: 'v1', pageSize: 10_000, shown: 6 }),
      at,
    )
    expect(await stored()).toEqual(both('13:40', '13:50'))
    expect(await coverage()).toEqual([
      '13 unverified 13:51 because nothing was read from 2026-11-20 13:00:00.000000 to 2026-11-20 13:30:01.000000: ' +
        'v1 shows no more than its newest 10,000 rows',
    ])
  })
})

describe('the role of a fill', () => {
  test('is not known where the venue does not list them: then no role is, and the hour is unverified', async () => {
    const at = one + 26 * minute
    const upstream = bareFeed(everyTen, () => at)
    const hidden: typeof upstream = (path, query) =>
      query.get('taker_only') === 'true' || path === '/trades' ? { status: 404 } : upstream(path, query)
    await follow(lake, hidden, at)
    expect(await select('select distinct coalesce(role, $$unknown$$) as text from lake.fills')).toEqual(['unknown'])
    expect(await coverage()).toEqual([
      '13 unverified 13:21 because the venue does not list its takers, so that roles are unknown',
    ])
  })
})
