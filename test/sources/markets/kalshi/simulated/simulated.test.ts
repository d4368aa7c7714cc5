import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import { cutoffAt } from '#sim/markets/kalshi_wire/hosts.ts'
import { isListed, marketTicker } from '#sim/markets/kalshi_wire/tickers.ts'
import { tradesOf } from '#sim/markets/kalshi_wire/trades.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { sources } from '#sources/index.ts'
import { ingest, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

const world = createWorld({ seed: 5, scale: 0.02 })
const at = world.now
const day = 86_400_000_000
const texts = z.object({ text: z.string() })
const kalshiSources = sources.filter(({ name }) => name.startsWith('kalshi_'))
const cutoff = cutoffAt(at / 1e6) * 1e6
/** The hours that are read lie on both sides of the cutoff. */
const [from, to] = [cutoff - 3 * day, cutoff + 3 * day]

describe.each(['v2', 'v1'] as const)('the simulated venue with the wire of %s', (dataApi) => {
  let lake: Lake
  const close: (() => Promise<void>)[] = []
  const select = async (sql: string): Promise<string[]> =>
    (await lake.read((reader) => reader.query(sql, texts))).map(({ text }) => text).toSorted()

  beforeAll(async () => {
    const opened = await temporaryLake()
    lake = opened.lake
    const served = await serveWorld({ world, others: { kalshi: world }, clock: () => at, dataApi })
    close.push(served.close, opened.remove)
    const get = createHttp({
      hosts: simulatedHosts(parseConfig({}).hosts, served),
      now_ms: () => 0,
      sleep: async () => {},
      random: () => 0,
    })
    for (const source of kalshiSources) await ingest(source, { lake, get, at, from, to })
  })
  afterAll(async () => {
    for (const end of close) await end()
  })

  test('has no row that is refused', async () => {
    expect(await select('select reason as text from lake.quarantine')).toEqual([])
  })

  test('has every trade, of the archive and of the live list, once', async () => {
    const stored = await select(
      `select concat_ws(',', tx, epoch_us(ts), market_id, token_id, (size * 100)::bigint, (price * 10000)::bigint,
         (cash_usd * 1000000)::bigint, role, trader) as text from lake.fills`,
    )
    const known = tradesOf(world).filter((trade) => trade.at >= from && trade.at < to)
    expect(known.some((trade) => trade.at < cutoff)).toBe(true)
    expect(known.some(({ isBlock }) => isBlock)).toBe(true)
    expect(known.some(({ count }) => count % 100 !== 0)).toBe(true)
    expect(known.some(({ yes }) => yes % 10 !== 0)).toBe(true)
    const expected = known.map((trade) => {
      const price = trade.taker === 'yes' ? trade.yes : 10_000 - trade.yes
      const [id, role] = [`kalshi:${trade.ticker}`, trade.isBlock ? 'block' : 'taker']
      const token = `${trade.ticker}:${trade.taker}`
      return [trade.id, trade.at, id, token, trade.count, price, trade.count * price, role, ''].join()
    })
    expect(stored).toEqual(expected.toSorted())
  })

  test('has every unsettled market, and every settlement of the archive and of the hours', async () => {
    const listed = world.markets.filter((market) => isListed(market) && market.createdAt_s * 1e6 <= at)
    const idOf = (market: (typeof listed)[number]) => `kalshi:${marketTicker(world, market)}`
    const settled = listed.filter(({ resolvedAt_s }) => resolvedAt_s * 1e6 < to)
    const unsettled = listed.filter(({ resolvedAt_s }) => resolvedAt_s * 1e6 > at)
    const described = [...unsettled, ...settled].map(idOf).toSorted()
    expect(await select('select distinct market_id as text from lake.markets')).toEqual(described)
    expect(settled.some(({ resolvedAt_s }) => resolvedAt_s * 1e6 < cutoff)).toBe(true)
    expect(settled.some(({ resolvedAt_s }) => resolvedAt_s * 1e6 >= cutoff)).toBe(true)
    expect(settled.some(({ payouts }) => payouts?.[0] === 500_000)).toBe(true)
    expect(
      await select(
        `select concat_ws(',', market_id, epoch(ts)::bigint, [(p * 1000000)::bigint for p in payouts]::varchar) as text
         from lake.resolutions`,
      ),
    ).toEqual(
      settled.map((market) => [idOf(market), market.resolvedAt_s, `[${market.payouts?.join(', ')}]`].join()).toSorted(),
    )
  })

  test('has a quote of the open markets alone', async () => {
    const open = await select('select market_id as text from lake.markets where is_open')
    const quoted = await select('select market_id as text from lake.quotes')
    expect(quoted).toEqual(open)
    expect(quoted.length).toBeGreaterThan(2)
    expect(await select('select market_id as text from lake.quotes where bid = 0 or ask = 1')).toEqual([])
  })

  test('has terms of the series, and no combination of markets', async () => {
    expect(await select(`select market_id as text from lake.markets where market_id like '%KXMVE%'`)).toEqual([])
    expect(
      await select(`select distinct taker_fee_rate::varchar as text from lake.markets where source = 'kalshi_markets'`),
    ).toContain('0.070000')
  })

  test('reports the state of every unit', async () => {
    expect(
      await select(
        `select concat_ws(' ', source, state) as text from lake.coverage where state not in ('done', 'head') group by all`,
      ),
    ).toEqual(['kalshi_settlements unavailable'])
  })
})
