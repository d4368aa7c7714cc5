import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import { polymarketClobMarkets } from '#sources/markets/polymarket/polymarket_clob_markets.ts'
import { clobMarket, describeClobMarket, resolutionOf } from '#sources/markets/polymarket/wire/clob_rows.ts'
import type { Micros } from '#time.ts'

import { fakeGet, planWith, readWith, store, temporaryLake } from './fake.ts'
import { clobMarketBody, condition, hex, token, wonClobMarket } from './wire.ts'

const at = Date.UTC(2026, 10, 20, 13, 7) * 1000
const describeBody = (body: Record<string, unknown>) => describeClobMarket(clobMarket.parse(body), at)
const payouts = (body: Record<string, unknown>) => resolutionOf(clobMarket.parse(body), at)?.payouts ?? null

describe('a market of the order book', () => {
  test('is described by what the CLOB knows', () => {
    const body = clobMarketBody(1, {
      game_start_time: '2026-11-15T01:00:00Z',
      neg_risk: true,
      neg_risk_market_id: hex(0xab00),
      question_id: hex(0xab07),
    })
    expect(describeBody(body)).toEqual({
      market_id: `polymarket:${condition(1)}`,
      seen_at: at,
      venue: 'polymarket',
      event_id: `polymarket:${condition(1)}`,
      question: 'Will it happen 1?',
      labels: ['Yes', 'No'],
      token_ids: [token(2), token(3)],
      category: 'sports',
      tags: ['NBA', 'Sports'],
      url: 'https://polymarket.com/event/will-it-1',
      status: 'open',
      is_open: true,
      created_at: null,
      starts_at: Date.parse('2026-11-15T01:00:00Z') * 1000,
      starts_by: 'game_start_time',
      ends_at: Date.parse('2026-12-31T00:00:00Z') * 1000,
      closed_at: null,
      collateral: 'USDC',
      taker_fee_rate: null,
      maker_fee_rate: null,
      fee_exponent: null,
      neg_risk_id: `polymarket:${hex(0xab00)}`,
      neg_risk_index: 7,
      volume_usd: null,
    })
  })

  test.each([
    ['open', clobMarketBody(1)],
    ['paused', clobMarketBody(1, { accepting_orders: false })],
    ['paused', clobMarketBody(1, { active: false })],
    ['closed', clobMarketBody(1, { closed: true })],
    ['resolved', wonClobMarket(1, [false, true])],
  ])('is %s', (status, body) => {
    expect(describeBody(body)).toMatchObject({ status, is_open: status === 'open' })
  })

  test('of the first days has no tokens', () => {
    const tokens = [
      { token_id: '', outcome: 'Yes', winner: false },
      { token_id: '', outcome: 'No', winner: false },
    ]
    expect(describeBody(clobMarketBody(1, { tokens, tags: null }))).toMatchObject({ token_ids: [], tags: [] })
  })

  test('pays its one winner, or both when it was 50-50 and is final', () => {
    expect(payouts(wonClobMarket(1, [true, false]))).toEqual([1_000_000n, 0n])
    expect(payouts(wonClobMarket(1, [false, true], { accepting_orders: true }))).toEqual([0n, 1_000_000n])
    expect(payouts(wonClobMarket(1, [false, false], { is_50_50_outcome: true }))).toEqual([500_000n, 500_000n])
  })

  test('pays nothing while it is open, undecided, contradictory, or shared but not final', () => {
    expect(payouts(wonClobMarket(1, [true, false], { closed: false }))).toBeNull()
    expect(payouts(wonClobMarket(1, [false, false]))).toBeNull()
    expect(payouts(wonClobMarket(1, [true, true]))).toBeNull()
    expect(payouts(wonClobMarket(1, [false, false], { is_50_50_outcome: true, accepting_orders: true }))).toBeNull()
  })
})

describe('a listing', () => {
  let lake: Lake
  let remove: () => Promise<void>
  beforeEach(async () => {
    ;({ lake, remove } = await temporaryLake())
  })
  afterEach(() => remove())

  const observe = async (instant: Micros, bodies: Record<string, unknown>[]) => {
    const [unit] = await planWith(polymarketClobMarkets, lake, { at: instant })
    if (unit === undefined) return null
    const { get, asked } = fakeGet((_, query) => {
      const from = Number(query.get('next_cursor') ?? 0)
      const next_cursor = from + 2 < bodies.length ? String(from + 2) : 'LTE='
      return { body: { data: bodies.slice(from, from + 2), next_cursor, limit: 2, count: 2 } }
    })
    const reading = await readWith(polymarketClobMarkets, unit, { lake, get, at: instant })
    await store(lake, unit, reading.rows, { at: instant })
    return { ...reading, asked, markets: reading.rows.markets ?? [], resolutions: reading.rows.resolutions ?? [] }
  }
  const day = 86_400_000_000

  test('is followed to its end marker, once a day', async () => {
    const first = await observe(
      at,
      [1, 2, 3].map((n) => clobMarketBody(n)),
    )
    expect(first?.asked).toEqual(['/markets', '/markets?next_cursor=2'])
    expect(first).toMatchObject({
      state: 'complete',
      proof: 'followed to the end marker, 2 pages: 3 markets, 0 resolved',
    })
    expect(await observe(at + 3_600_000_000, [])).toBeNull()
    expect(await observe(at + day, [])).toMatchObject({
      state: 'unverified',
      reason: 'the list shows no market at all; expected one',
    })
    expect(await planWith(polymarketClobMarkets, lake, { at, keys: [condition(1)] })).toHaveLength(1)
  })

  test('stores what changed, and a resolution at the instant at which it was first seen', async () => {
    await observe(at, [clobMarketBody(1), wonClobMarket(2, [true, false])])
    const later = await observe(at + day, [wonClobMarket(1, [false, true]), wonClobMarket(2, [true, false])])
    expect(later?.markets.map(({ market_id, status }) => [market_id, status])).toEqual([
      [`polymarket:${condition(1)}`, 'resolved'],
    ])
    expect(later?.resolutions).toEqual([
      {
        market_id: `polymarket:${condition(1)}`,
        ts: at + day - 120_000_000,
        venue: 'polymarket',
        payouts: [0n, 1_000_000n],
        status: 'resolved',
        tx: null,
      },
    ])
    const corrected = await observe(at + 2 * day, [wonClobMarket(2, [false, true])])
    expect(corrected?.resolutions).toHaveLength(1)
  })

  test('rejects rows that do not parse, and stores the others', async () => {
    const reading = await observe(at, [clobMarketBody(1, { condition_id: '' }), clobMarketBody(2)])
    expect(reading?.markets).toHaveLength(1)
    expect(reading?.rejected).toEqual([
      expect.objectContaining({ dataset: 'markets', reason: expect.stringContaining('condition_id') }),
    ])
  })
})
