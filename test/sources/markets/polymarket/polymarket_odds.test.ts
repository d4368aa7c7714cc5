import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import { polymarketOdds } from '#sources/markets/polymarket/polymarket_odds.ts'
import { gammaMarket, quoteOf } from '#sources/markets/polymarket/wire/gamma_rows.ts'
import type { Micros } from '#time.ts'

import { fakeGet, gamma, planWith, readWith, store, temporaryLake, type Gamma } from './fake.ts'
import { gammaMarketBody } from './wire.ts'

const minute = 60_000_000
const day = 24 * 60 * minute
const midnight = Date.UTC(2026, 10, 20) * 1000
const at = midnight + 787 * minute

test('a quote has what is there, and only while the market is open', () => {
  const quote = (body: Record<string, unknown>) => quoteOf(gammaMarket.parse(gammaMarketBody(1, body)), at)
  expect(quote({})).toMatchObject({ ts: at, period_s: 0, bid: 390_000n, ask: 410_000n, volume_24h_usd: 12_500_000n })
  expect(quote({ bestBid: undefined, volume24hr: undefined })).toMatchObject({ bid: null, volume_24h_usd: null })
  expect(quote({ acceptingOrders: false })).toBeNull()
})

describe('an observation of the odds', () => {
  let lake: Lake
  let remove: () => Promise<void>
  beforeEach(async () => {
    ;({ lake, remove } = await temporaryLake())
  })
  afterEach(() => remove())

  const observe = async (instant: Micros, world: Gamma) => {
    const [unit, ...more] = await planWith(polymarketOdds, lake, { at: instant })
    if (unit === undefined || more.length > 0) throw new Error('one observation is planned')
    const { get, asked } = fakeGet(gamma(world))
    const { rows, rejected, proof, n_read } = await readWith(polymarketOdds, unit, { lake, get, at: instant })
    await store(lake, unit, rows, { at: instant })
    const quotes = (rows.quotes ?? []).map(({ market_id, bid }) => [
      Number.parseInt(market_id.split(':')[1] ?? '', 16) - 0xc000,
      bid === null ? null : Number(bid) / 10_000,
    ])
    return { unit, asked, rows, rejected, proof, quotes, n_read }
  }
  const [one, two, three] = [1, 2, 3].map((n) => gammaMarketBody(n))
  const blank = { bestBid: undefined, bestAsk: undefined, lastTradePrice: undefined, volume24hr: undefined }

  test('is once a minute, of the open markets, without their events', async () => {
    const { unit, asked, proof } = await observe(at + 59_999_999, { markets: [{ ...one }, { ...two }, { ...three }] })
    expect(unit).toMatchObject({ kind: 'observation', from: at, to: at, key: '' })
    expect(asked).toEqual([
      '/markets/keyset?closed=false&limit=500',
      '/markets/keyset?after_cursor=2&closed=false&limit=500',
    ])
    expect(proof).toBe('cursors followed to their end, 2 pages: 3 open markets, 3 quotes')
  })

  test('leaves out a market that is announced without an id and tokens, and rejects one that has tokens', async () => {
    const gone = { ...two, conditionId: '', clobTokenIds: undefined }
    const { quotes, rejected } = await observe(at, { markets: [{ ...one }, gone] })
    expect([quotes.length, rejected]).toEqual([1, []])
    const emptied = { ...two, conditionId: '' }
    const broken = await observe(at + minute, { markets: [{ ...one }, emptied] })
    expect(broken.rejected).toMatchObject([{ reason: expect.stringContaining('conditionId') as string }])
  })

  test('stores a quote on a change, and the same rows if it is repeated', async () => {
    await observe(at, { markets: [{ ...one }, { ...two }] })
    expect((await observe(at + minute, { markets: [{ ...one }, { ...two }] })).quotes).toEqual([])
    const moved = { markets: [{ ...one, bestBid: 0.38 }, { ...two, question: 'Well?' }, { ...three }] }
    const first = await observe(at + 2 * minute, moved)
    expect(first.quotes).toEqual([
      [1, 38],
      [3, 39],
    ])
    expect((await observe(at + 2 * minute, moved)).rows).toEqual(first.rows)
    expect((await observe(at + 3 * minute, { markets: [{ ...one }] })).quotes).toEqual([[1, 39]])
  })

  test('is of all open markets at first in a UTC day, and looks no further back than that', async () => {
    const markets = [{ ...one }, { ...two, ...blank }]
    const all = [
      [1, 39],
      [2, null],
    ]
    expect((await observe(midnight - minute, { markets })).quotes).toEqual(all)
    // The files of the day before are not read.
    const before = (await lake.storage.list('lake/quotes')).filter((path) => path.includes('2026-11-19'))
    expect(before).toHaveLength(1)
    for (const path of before) await lake.storage.put(path, Buffer.from('broken'))
    expect((await observe(midnight, { markets })).quotes).toEqual(all)
    expect((await observe(midnight + minute, { markets })).quotes).toEqual([])
    expect((await observe(midnight + day - minute, { markets })).quotes).toEqual([])
    expect((await observe(midnight + day, { markets })).quotes).toEqual(all)
  })

  test('stores no quote of a market that is no longer listed or takes no orders', async () => {
    await observe(at, { markets: [{ ...one }, { ...two }, { ...three }] })
    const later = { markets: [{ ...one, closed: true }, { ...two, acceptingOrders: false }, { ...three }] }
    const { quotes, asked } = await observe(at + minute, later)
    expect([quotes, asked]).toEqual([[], ['/markets/keyset?closed=false&limit=500']])
  })

  test('says that a book was emptied', async () => {
    await observe(at, { markets: [{ ...one }] })
    expect((await observe(at + minute, { markets: [{ ...one, ...blank }] })).quotes).toEqual([[1, null]])
    expect((await observe(at + 2 * minute, { markets: [{ ...one, ...blank }] })).quotes).toEqual([])
  })

  test('refuses rows that do not parse, and keeps the others', async () => {
    const { quotes, rejected } = await observe(at, { markets: [{ ...one, outcomes: 7 }, { ...two }] })
    expect(quotes).toEqual([[2, 39]])
    expect(rejected).toMatchObject([{ dataset: 'quotes', path: '/markets/keyset' }])
    // The rows read are those of the list, also where none of them changed.
    const again = await observe(at + minute, { markets: [{ ...one, outcomes: 7 }, { ...two }, { ...three }] })
    expect([again.quotes, again.rejected.length, again.n_read]).toEqual([[[3, 39]], 1, { quotes: 3 }])
  })
})
