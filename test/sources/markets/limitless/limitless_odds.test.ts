import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import { limitlessOdds } from '#sources/markets/limitless/limitless_odds.ts'
import { limitlessMarket } from '#sources/markets/limitless/wire/market_rows.ts'
import { quoteOf } from '#sources/markets/limitless/wire/quote_rows.ts'
import { fakeGet, planWith, readWith, store, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'
import type { Micros } from '#time.ts'

import { groupBody, marketBody, slug, venue } from './wire.ts'

const at = Date.UTC(2026, 10, 20, 12) * 1000
const quote = (more: Record<string, unknown>) => quoteOf(limitlessMarket.parse(marketBody(1, more)), at)
const book = (bid: number, ask: number) => ({
  buy: { market: [ask, 1 - bid] },
  sell: { market: [bid, 1 - ask] },
})

describe('a quote', () => {
  test('has the prices of a sale and a purchase of YES, and the middle', () => {
    expect(quote({})).toEqual({
      market_id: `limitless:${slug(1)}`,
      ts: at,
      period_s: 0,
      venue: 'limitless',
      bid: 390_000n,
      ask: 410_000n,
      last: 400_000n,
      size: null,
      volume_24h_usd: null,
      size_24h: null,
      venue_price: null,
      liquidity_usd: null,
    })
  })

  test('may be written from 0 to 100, also for the automated maker', () => {
    const tradePrices = { buy: { market: [41, 61] }, sell: { market: [39, 59] } }
    expect(quote({ prices: [40, 60], tradePrices })).toMatchObject({ bid: 390_000n, ask: 410_000n, last: 400_000n })
    expect(quote({ prices: [99.5, 0.5], tradePrices: null })).toMatchObject({ bid: null, ask: null, last: 995_000n })
  })

  test('of an empty book has no prices; of a one-sided book the end of the grid', () => {
    expect(quote({ prices: [0.5, 0.5], tradePrices: book(0.001, 0.999) })).toMatchObject({
      bid: null,
      ask: null,
      last: null,
    })
    expect(quote({ prices: [0.5, 0.5], tradePrices: book(0.001, 0.2) })).toMatchObject({ bid: 1_000n, ask: 200_000n })
  })

  test('has the raw volume of all time while the market is younger than a day', () => {
    expect(quote({ createdAt: '2026-11-19T12:00:01Z' })).toMatchObject({ volume_24h_usd: 12_500_000n })
    expect(quote({ createdAt: '2026-11-19T12:00:00Z' })).toMatchObject({ volume_24h_usd: null })
    const collateralToken = { symbol: 'WETH', decimals: 18 }
    expect(quote({ createdAt: '2026-11-20T00:00:00Z', collateralToken })).toMatchObject({ volume_24h_usd: null })
  })

  test.each([{ status: 'LOCKED' }, { status: 'CLOSED' }, { expired: true }])('is not of a market with %j', (more) => {
    expect(quote(more)).toBeNull()
  })
})

describe('an observation of the odds', () => {
  let lake: Lake
  let remove: () => Promise<void>
  beforeEach(async () => {
    ;({ lake, remove } = await temporaryLake())
  })
  afterEach(() => remove())

  const observe = async (instant: Micros, active: Record<string, unknown>[]) => {
    const [unit] = await planWith(limitlessOdds, lake, { at: instant })
    if (unit === undefined) throw new Error('an observation is planned')
    const { get } = fakeGet(venue({ active }))
    const { rows, rejected, state } = await readWith(limitlessOdds, unit, { lake, get, at: instant })
    await store(lake, unit, rows, { at: instant })
    return { state, rejected, bids: (rows.quotes ?? []).map(({ market_id, bid }) => [market_id, Number(bid)]) }
  }

  test('stores changes, of nested markets too', async () => {
    const active = [marketBody(1), groupBody(1, [marketBody(2)])]
    const all = [1, 2].map((n) => [`limitless:${slug(n)}`, 390_000])
    expect((await observe(at, active)).bids).toEqual(all)
    expect((await observe(at + 120_000_000, active)).bids).toEqual([])
    const moved = [marketBody(1, { tradePrices: book(0.5, 0.52) }), groupBody(1, [marketBody(2)])]
    expect((await observe(at + 240_000_000, moved)).bids).toEqual([[`limitless:${slug(1)}`, 500_000]])
  })

  test('rejects a broken row, and does not believe an empty list', async () => {
    const { bids, rejected, state } = await observe(at, [marketBody(1, { prices: [140, 3] }), marketBody(2)])
    expect(bids).toEqual([[`limitless:${slug(2)}`, 390_000]])
    expect([state, rejected.map(({ dataset }) => dataset)]).toEqual(['complete', ['quotes']])
    expect((await observe(at + 120_000_000, [])).state).toBe('unverified')
  })
})
