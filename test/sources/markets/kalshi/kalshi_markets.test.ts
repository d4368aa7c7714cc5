import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { kalshiMarkets } from '#sources/markets/kalshi/kalshi_markets.ts'
import { kalshiOdds } from '#sources/markets/kalshi/kalshi_odds.ts'
import { kalshiMarket } from '#sources/markets/kalshi/wire/market_rows.ts'
import { fakeGet, planWith, readWith, store, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

import { kalshi, marketBody, settledBody, type Kalshi } from './wire.ts'

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const minute = 60_000_000
const begin = Date.UTC(2026, 10, 20, 12) * 1000

/** Plans, reads and stores an observation. */
const observe = async (source: Source, at: number, venue: Kalshi) => {
  const { get, asked } = fakeGet(kalshi(venue))
  const [unit] = await planWith(source, lake, { at })
  if (unit === undefined) throw new Error('no observation was planned')
  const reading = await readWith(source, unit, { lake, get, at })
  await store(lake, unit, reading.rows, { at })
  return { ...reading, asked }
}

describe('the markets', () => {
  const series = [{ ticker: 'KXA', category: 'Sports', tags: ['Soccer'], fee_type: 'quadratic', fee_multiplier: 1 }]

  test('are stored on a change alone, with the terms of their series carried over', async () => {
    const markets = [marketBody('KXA-1-M'), marketBody('KXA-1-N')]
    const first = await observe(kalshiMarkets, begin, { markets, series })
    expect(first.rows.markets).toHaveLength(2)
    expect(first.rows.markets?.[0]).toMatchObject({ category: 'sports', tags: ['Soccer'], taker_fee_rate: 70_000n })
    expect(first.asked).toContain('/series')
    const closed = { status: 'closed', close_time: '2026-11-20T12:03:00Z', yes_bid_dollars: '0.0000' }
    const second = await observe(kalshiMarkets, begin + 5 * minute, {
      markets: [marketBody('KXA-1-M', { yes_bid_dollars: '0.1000' }), marketBody('KXA-1-N', closed)],
      series,
    })
    expect(second.asked).not.toContain('/series')
    expect(second.rows.markets).toEqual([
      expect.objectContaining({
        market_id: 'kalshi:KXA-1-N',
        status: 'closed',
        category: 'sports',
        closed_at: begin + 3 * minute,
      }),
    ])
  })

  test('that move from one list to another meanwhile are stored once, in the later state', async () => {
    const markets = [marketBody('KXA-1-M'), marketBody('KXA-1-M', { status: 'closed' }), marketBody('KXA-1-N')]
    const { rows, proof } = await observe(kalshiMarkets, begin, { markets, series })
    expect(rows.markets?.map(({ market_id, status }) => [market_id, status]).toSorted()).toEqual([
      ['kalshi:KXA-1-M', 'closed'],
      ['kalshi:KXA-1-N', 'open'],
    ])
    expect(proof).toContain(': 2 unsettled markets;')
  })

  test('that are new take the last terms of their series, also where its other markets are settled', async () => {
    await observe(kalshiMarkets, begin, { markets: [marketBody('KXA-1-M')], series })
    await observe(kalshiMarkets, begin + 5 * minute, { markets: [settledBody('KXA-1-M', '2026-11-20T12:04:00Z')] })
    const markets = [marketBody('KXA-2-M'), marketBody('KXB-1-M')]
    const { rows } = await observe(kalshiMarkets, begin + 10 * minute, { markets })
    expect(rows.markets?.map(({ market_id, category, tags }) => [market_id, category, tags]).toSorted()).toEqual([
      ['kalshi:KXA-2-M', 'sports', ['Soccer']],
      ['kalshi:KXB-1-M', null, []],
    ])
  })

  test('that were unsettled before are read by ticker, from the archive if they have moved', async () => {
    await observe(kalshiMarkets, begin, { markets: [marketBody('KXA-1-M'), marketBody('KXA-1-N')], series })
    const { rows, asked, proof } = await observe(kalshiMarkets, begin + 5 * minute, {
      markets: [settledBody('KXA-1-M', '2026-11-20T12:04:00Z')],
      archive: { markets: [settledBody('KXA-1-N', '2026-11-20T12:04:00Z')] },
    })
    expect(rows.markets?.map(({ market_id, status }) => [market_id, status])).toEqual([
      ['kalshi:KXA-1-M', 'resolved'],
      ['kalshi:KXA-1-N', 'resolved'],
    ])
    expect(asked.slice(-2)).toEqual([
      '/markets?limit=1000&tickers=KXA-1-M%2CKXA-1-N',
      '/historical/markets?limit=1000&tickers=KXA-1-N',
    ])
    expect(proof).toMatch(/0 unsettled markets; 2 of 2 that were unsettled before read by ticker$/)
    // A settled market is final.
    const third = await observe(kalshiMarkets, begin + 10 * minute, {})
    expect(third.asked.filter((path) => path.includes('tickers'))).toEqual([])
  })

  test('is not believed without any market', async () => {
    const { rows, rejected, state } = await observe(kalshiMarkets, begin, {})
    expect([rows.markets, rejected, state]).toEqual([[], [], 'unverified'])
  })
})

describe('the odds', () => {
  test('are quotes of open markets on a change', async () => {
    const markets = [marketBody('KXA-1-M'), marketBody('KXA-1-N')]
    expect((await observe(kalshiOdds, begin, { markets })).rows.quotes).toHaveLength(2)
    const moved = await observe(kalshiOdds, begin + minute, {
      markets: [marketBody('KXA-1-M'), marketBody('KXA-1-N', { yes_ask_dollars: '0.4301' })],
    })
    expect(moved.rows.quotes?.map(({ market_id, ask }) => [market_id, ask])).toEqual([['kalshi:KXA-1-N', 430_100n]])
  })

  test('end with the market: its last book is 0 and 1, whatever list it is in', async () => {
    const over = { yes_bid_dollars: '0.0000', yes_ask_dollars: '1.0000' }
    const markets = ['closed', 'determined', 'finalized', 'inactive'].map((status, n) =>
      marketBody(`KXA-${n}`, { status, ...over }),
    )
    const { get } = fakeGet(() => ({ body: { markets, cursor: '' } }))
    const [unit] = await planWith(kalshiOdds, lake, { at: begin })
    if (unit === undefined) throw new Error('no observation was planned')
    expect((await readWith(kalshiOdds, unit, { lake, get, at: begin })).rows.quotes).toEqual([])
  })
})

test('a price is that of the older field where the newer one is null', () => {
  const prices = { yes_bid_dollars: null, yes_bid: 37, yes_ask_dollars: '0.4100', yes_ask: 40 }
  const { yes_bid_dollars, yes_ask_dollars } = kalshiMarket.parse(marketBody('KXA-1-M', prices))
  const { yes_bid_dollars: same } = kalshiMarket.parse(marketBody('KXA-1-M', { yes_bid_dollars: '0.37' }))
  const { yes_ask_dollars: other } = kalshiMarket.parse(marketBody('KXA-1-M', { yes_ask_dollars: '0.4100' }))
  expect([yes_bid_dollars, yes_ask_dollars]).toEqual([same, other])
})
