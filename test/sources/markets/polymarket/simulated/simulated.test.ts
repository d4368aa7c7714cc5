import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import { systemAddresses } from '#sim/markets/types.ts'
import { createWorld, txHash } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { sources } from '#sources/index.ts'
import { ingest, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

const world = createWorld({ seed: 3, scale: 0.03 })
const at = world.endsAt

/** The true fills of the world as the lake writes them: one text a fill, for each fill that `isWanted`. */
const trueFills = (isWanted: (fill: number) => boolean, more: (fill: number) => unknown[]): string[] => {
  const { fills, matches } = world
  return Array.from({ length: fills.length }, (_, fill) => fill)
    .filter(isWanted)
    .map((fill) => {
      const match = fills.match[fill] ?? 0
      const trader = fills.trader[fill] ?? 0
      return [
        txHash(world, matches.tx[match] ?? 0),
        world.traders[trader]?.wallet ?? systemAddresses[-1 - trader],
        fills.side[fill] === 0 ? 'buy' : 'sell',
        matches.ts_s[match],
        fills.size[fill],
        fills.cash[fill],
        ...more(fill),
      ].join()
    })
    .toSorted()
}

const isMarkets = (fill: number) => (world.matches.market[world.fills.match[fill] ?? 0] ?? -1) >= 0
const texts = z.object({ text: z.string() })

describe.each(['v2', 'v1'] as const)('the simulated venue with a Data API of %s', (dataApi) => {
  let lake: Lake
  const close: (() => Promise<void>)[] = []
  const select = async (sql: string): Promise<string[]> =>
    (await lake.read((reader) => reader.query(sql, texts))).map(({ text }) => text).toSorted()

  beforeAll(async () => {
    const opened = await temporaryLake()
    lake = opened.lake
    const served = await serveWorld({ world, clock: () => at, dataApi })
    close.push(served.close, opened.remove)
    const get = createHttp({
      hosts: simulatedHosts(parseConfig({}).hosts, served),
      now_ms: () => 0,
      sleep: async () => {},
      random: () => 0,
    })
    // The venue has hosts, and no node that `polymarket_chain` could read.
    const polled = sources.filter(
      ({ name, kind, unit }) => name.startsWith('polymarket_') && kind !== 'stream' && unit !== 'blocks',
    )
    for (const source of polled) await ingest(source, { lake, get, at })
  })
  afterAll(async () => {
    for (const end of close) await end()
  })

  test('has no row that is refused', async () => {
    expect(await select('select reason as text from lake.quarantine')).toEqual([])
  })

  test('has each market, described by both hosts alike', async () => {
    const ids = world.markets.map(({ conditionId }) => `polymarket:${conditionId}`).toSorted()
    for (const source of ['polymarket_markets', 'polymarket_clob_markets']) {
      expect(await select(`select market_id as text from lake.markets where source = '${source}'`)).toEqual(ids)
    }
    const shared = 'market_id, question, labels, token_ids, is_open, neg_risk_id'
    const unlike = `select question as text from lake.markets group by ${shared} having count(*) <> 2`
    expect(await select(unlike)).toEqual([])
    const places = world.markets.map(
      ({ conditionId, negRiskIndex }) => `polymarket:${conditionId} ${negRiskIndex < 0 ? '' : negRiskIndex}`,
    )
    expect(
      await select(
        `select concat(market_id, ' ', neg_risk_index) as text from lake.markets where source = 'polymarket_markets'`,
      ),
    ).toEqual(places.toSorted())
  })

  test('has every fill of every market, with its role', async () => {
    const stored = await select(
      `select concat_ws(',', tx, trader, side, epoch(ts)::bigint, (size * 1000000)::bigint, (cash_usd * 1000000)::bigint, role)
         as text from lake.fills where source = 'polymarket_trades'`,
    )
    expect(stored).toEqual(trueFills(isMarkets, (fill) => [world.fills.isTaker[fill] === 1 ? 'taker' : 'maker']))
  })

  test('has every fill of the accounts that traded enough, combos too, with the fee', async () => {
    const wallets = new Set(
      await select(`select key as text from lake.coverage where source = 'polymarket_activity' group by key`),
    )
    expect(wallets.size).toBeGreaterThan(10)
    const stored = await select(
      `select concat_ws(',', tx, trader, side, epoch(ts)::bigint, (size * 1000000)::bigint, (cash_usd * 1000000)::bigint,
         (fee_usd * 1000000)::bigint) as text from lake.fills where source = 'polymarket_activity'`,
    )
    const isRead = (fill: number) => wallets.has(world.traders[world.fills.trader[fill] ?? -1]?.wallet ?? '')
    expect(stored).toEqual(trueFills(isRead, (fill) => [world.fills.fee[fill]]))
    expect(await select(`select trader as text from lake.fills where length(market_id) = 75 limit 1`)).toHaveLength(1)
  })

  test('has all that these accounts did besides', async () => {
    const wallets = new Set(
      await select(`select key as text from lake.coverage where source = 'polymarket_activity' group by key`),
    )
    const stored = await select(
      `select concat_ws(',', tx, trader, epoch(ts)::bigint, kind, (cash_usd * 1000000)::bigint) as text from lake.activity`,
    )
    const kinds: Record<string, string> = { CONVERSION: 'convert', MAKER_REBATE: 'rebate' }
    const done = world.activity
      .filter(({ trader, ts_s }) => wallets.has(world.traders[trader]?.wallet ?? '') && ts_s * 1e6 <= at)
      .map((row) =>
        [
          txHash(world, row.tx),
          world.traders[row.trader]?.wallet,
          row.ts_s,
          kinds[row.kind] ?? row.kind.toLowerCase(),
          row.cash,
        ].join(),
      )
    expect(stored).toEqual(done.toSorted())
  })

  test('has the payouts of every market that was resolved, and the time where v2 says it', async () => {
    const stored = await select(
      `select concat_ws(',', market_id, [(p * 1000000)::bigint for p in payouts]::varchar,
         ${dataApi === 'v2' ? 'epoch(ts)::bigint' : "''"}) as text
       from lake.resolutions where source = 'polymarket_resolutions'`,
    )
    const resolved = world.markets.filter(({ payouts, resolvedAt_s }) => payouts !== null && resolvedAt_s * 1e6 <= at)
    expect(stored).toEqual(
      resolved
        .map(({ conditionId, payouts, resolvedAt_s }) =>
          [`polymarket:${conditionId}`, `[${payouts?.join(', ')}]`, dataApi === 'v2' ? resolvedAt_s : ''].join(),
        )
        .toSorted(),
    )
  })

  test('reports the state of every unit', async () => {
    const states = await select(
      `select concat_ws(' ', source, state) as text from lake.coverage where state <> 'done' group by all`,
    )
    // Markets of before, which were never resolved.
    expect(states).toContain('polymarket_resolutions unverified')
    expect(states).toHaveLength(dataApi === 'v2' ? 2 : 1)
  })
})
