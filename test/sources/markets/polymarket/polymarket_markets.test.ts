import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import { categoryOf } from '#sources/markets/categories.ts'
import { polymarketMarkets } from '#sources/markets/polymarket/polymarket_markets.ts'
import { describeMarket, gammaMarket } from '#sources/markets/polymarket/wire/gamma_rows.ts'
import type { Micros } from '#time.ts'

import { fakeGet, gamma, planWith, readWith, store, temporaryLake, type Gamma } from './fake.ts'
import { condition, gammaMarketBody, hex, token } from './wire.ts'

const at = Date.UTC(2026, 10, 20, 13, 7) * 1000
const describeBody = (more: Record<string, unknown>) => describeMarket(gammaMarket.parse(gammaMarketBody(1, more)), at)
const instant = (text: string): Micros => Date.parse(text) * 1000

describe('a market', () => {
  test('is described in full', () => {
    expect(describeBody({})).toEqual({
      market_id: `polymarket:${condition(1)}`,
      seen_at: at,
      venue: 'polymarket',
      event_id: 'polymarket:77',
      question: 'Will it happen 1?',
      labels: ['Yes', 'No'],
      token_ids: [token(2), token(3)],
      category: null,
      tags: [],
      url: 'https://polymarket.com/event/the-event',
      status: 'open',
      is_open: true,
      created_at: instant('2026-01-02T03:04:05.678Z') + 901,
      starts_at: null,
      starts_by: null,
      ends_at: instant('2026-12-31T00:00:00Z'),
      closed_at: null,
      collateral: 'USDC',
      taker_fee_rate: 0n,
      maker_fee_rate: 0n,
      fee_exponent: null,
      neg_risk_id: null,
      neg_risk_index: null,
      volume_usd: null,
    })
  })

  test('without an event is its own, under its own slug', () => {
    for (const events of [undefined, null, []]) {
      expect(describeBody({ events })).toMatchObject({
        event_id: `polymarket:${condition(1)}`,
        url: 'https://polymarket.com/event/will-it-1',
      })
    }
  })

  test.each([
    ['open', { acceptingOrders: true }, true],
    ['paused', { acceptingOrders: false }, false],
    ['paused', { active: false }, false],
    ['closed', { closed: true }, false],
    ['closed', { closed: true, outcomePrices: '["1", "0"]', umaResolutionStatus: 'disputed' }, false],
    ['closed', { closed: true, outcomePrices: '["0", "0"]', umaResolutionStatus: 'resolved' }, false],
    ['closed', { closed: true, outcomePrices: '["0.58431", "0.41569"]' }, false],
    ['closed', { closed: true, outcomePrices: '["0.5", "0.5"]' }, false],
    ['closed', { closed: true, outcomePrices: null }, false],
    ['resolved', { closed: true, outcomePrices: '["0", "1"]' }, false],
    ['resolved', { closed: true, outcomePrices: '["1", "0"]', umaResolutionStatus: 'resolved' }, false],
    ['resolved', { closed: true, outcomePrices: '["0.5", "0.5"]', umaResolutionStatus: 'resolved' }, false],
  ])('is %s: %j', (status, body, is_open) => {
    expect(describeBody(body)).toMatchObject({ status, is_open })
  })

  test('starts by the game, else by the measured window; times come in two forms', () => {
    const gameStartTime = '2026-11-15 00:00:00+00'
    const eventStartTime = '2026-11-14T23:00:00Z'
    expect(describeBody({ gameStartTime, eventStartTime })).toMatchObject({
      starts_at: instant('2026-11-15T00:00:00Z'),
      starts_by: 'gameStartTime',
    })
    expect(describeBody({ eventStartTime })).toMatchObject({
      starts_at: instant(eventStartTime),
      starts_by: 'eventStartTime',
    })
  })

  test('has a closing time only while it is closed', () => {
    const closedTime = '2026-03-19 23:20:15+00'
    expect(describeBody({ closed: true, closedTime }).closed_at).toBe(instant('2026-03-19T23:20:15Z'))
    expect(describeBody({ closed: false, closedTime }).closed_at).toBeNull()
  })

  test.each([
    [{ feesEnabled: false }, 0n, 0n, null],
    [{ feesEnabled: true, feeSchedule: { rate: 0.05, exponent: 1, takerOnly: true } }, 50_000n, 0n, 1_000_000n],
    [{ feesEnabled: true, feeSchedule: { rate: '0.05', takerOnly: false } }, 50_000n, 50_000n, 1_000_000n],
    [{ feesEnabled: true, feeSchedule: { rate: 0.25, exponent: 2, takerOnly: true } }, 250_000n, 0n, 2_000_000n],
    [{ feesEnabled: true, feeSchedule: { rate: 0.04, exponent: '0.5', takerOnly: true } }, 40_000n, 0n, 500_000n],
    [{ feesEnabled: true, takerBaseFee: 1000 }, null, null, null],
    [{ feesEnabled: undefined }, null, null, null],
  ])('with fees %j', (body, taker_fee_rate, maker_fee_rate, fee_exponent) => {
    expect(describeBody(body)).toMatchObject({ taker_fee_rate, maker_fee_rate, fee_exponent })
  })

  test('has its place in a neg-risk group from the question id, else from the threshold', () => {
    const group = hex(0xabcd00)
    const inGroup = (body: Record<string, unknown>) =>
      describeBody({ negRisk: true, negRiskMarketID: group.toUpperCase().replace('0X', '0x'), ...body })
    expect(inGroup({ questionID: hex(0xabcd1f), groupItemThreshold: '3' })).toMatchObject({
      neg_risk_id: `polymarket:${group}`,
      neg_risk_index: 31,
    })
    expect(inGroup({ questionID: hex(5), groupItemThreshold: '3' }).neg_risk_index).toBe(3)
    expect(inGroup({ groupItemThreshold: '2.5' }).neg_risk_index).toBeNull()
    expect(describeBody({ groupItemThreshold: '3', negRiskMarketID: '' })).toMatchObject({
      neg_risk_id: null,
      neg_risk_index: null,
    })
  })

  test('has lists as lists, and tokens may be missing', () => {
    const lists = { outcomes: ['Up', 'Down'], clobTokenIds: undefined }
    expect(describeBody(lists)).toMatchObject({ labels: ['Up', 'Down'], token_ids: [] })
  })

  test.each([
    ['conditionId: expected a condition id', { conditionId: '' }],
    ['outcomes: expected a JSON list of texts', { outcomes: 'Yes, No' }],
    ['clobTokenIds: expected a token for each outcome', { clobTokenIds: '["1"]' }],
    ['closedTime: expected an ISO instant', { closedTime: 'yesterday' }],
    ['bestBid: expected a price', { bestBid: 52 }],
  ])('is refused: %s', (reason, body) => {
    const { error } = gammaMarket.safeParse(gammaMarketBody(1, body))
    expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join()).toContain(reason)
  })

  test('of a combo keeps its shorter id', () => {
    expect(describeBody({ conditionId: hex(5, 62) }).market_id).toBe(`polymarket:${hex(5, 62)}`)
  })

  test('of Protocol V2 has its id unpadded, its positions as tokens, and its own status', () => {
    const id = `0x01${'ab'.repeat(30)}`
    const body = {
      version: 'v2',
      conditionId: `${id.toUpperCase().replace('0X', '0x')}00`,
      clobTokenIds: null,
      positionIds: [`${id}00`, String(BigInt(`${id}01`))],
      closed: true,
      outcomePrices: '["1", "0"]',
      umaResolutionStatus: 'proposed',
      resolutionStatus: 'resolved',
    }
    expect(describeBody(body)).toMatchObject({
      market_id: `polymarket:${id}`,
      token_ids: [String(BigInt(`${id}00`)), String(BigInt(`${id}01`))],
      status: 'resolved',
    })
    // Markets of v1 may have the same fields.
    expect(describeBody({ ...body, version: 'v1', clobTokenIds: '["1", "2"]' })).toMatchObject({
      market_id: `polymarket:${id}00`,
      token_ids: ['1', '2'],
      status: 'closed',
    })
  })
})

test('the category is the first of the venue’s sections, in whatever order tags come', () => {
  expect(categoryOf(['NBA', 'All', 'Sports'])).toBe('sports')
  expect(categoryOf(['Politics', 'Elections'])).toBe(categoryOf(['Elections', 'Politics']))
  expect(categoryOf(['Pop Culture'])).toBe('culture')
  expect(categoryOf(['Something else'])).toBeNull()
})

describe('an observation', () => {
  let lake: Lake
  let remove: () => Promise<void>
  beforeEach(async () => {
    ;({ lake, remove } = await temporaryLake())
  })
  afterEach(() => remove())

  /** Plans at an instant, pulls, and stores. */
  const observe = async (instant: Micros, world: Gamma) => {
    const [unit] = await planWith(polymarketMarkets, lake, { at: instant })
    if (unit === undefined) throw new Error('nothing is planned')
    const { get, asked } = fakeGet(gamma(world))
    const reading = await readWith(polymarketMarkets, unit, { lake, get, at: instant })
    await store(lake, unit, reading.rows, { at: instant })
    const short = (id: string) => Number.parseInt(id.split(':')[1] ?? '', 16) - 0xc000
    return {
      unit,
      asked,
      reading,
      markets: (reading.rows.markets ?? []).map((row) => [short(row.market_id), row.status]),
    }
  }

  const minute = 60_000_000
  const [one, two, three] = [1, 2, 3].map((n) => gammaMarketBody(n))

  test('is of all once a day, on a grid of five minutes, and of the open after that', async () => {
    const first = await observe(at, { markets: [] })
    expect(first.unit).toMatchObject({ from: at - 2 * minute, to: at - 2 * minute, params: ['all'] })
    expect((await observe(at + minute, { markets: [] })).unit).toMatchObject({ from: at - 2 * minute, params: ['all'] })
    expect((await observe(at + 5 * minute, { markets: [] })).unit.params).toEqual(['open'])
    expect((await planWith(polymarketMarkets, lake, { at: at + 5 * minute, keys: ['x'] }))[0]?.params).toEqual(['all'])
    expect((await observe(at + 24 * 60 * minute, { markets: [] })).unit.params).toEqual(['all'])
  })

  test('follows cursors, of open and closed markets, and counts', async () => {
    const four = gammaMarketBody(4, { closed: true })
    const { markets, reading } = await observe(at, {
      markets: [one, two, three, four].map((market) => ({ ...market })),
    })
    expect(markets).toEqual([
      [1, 'open'],
      [2, 'open'],
      [3, 'open'],
      [4, 'closed'],
    ])
    expect(reading).toMatchObject({ state: 'complete', rejected: [] })
    expect(reading.proof).toContain('3 pages: 4 markets')
  })

  test('stores a row for each change, and none without', async () => {
    await observe(at, { markets: [{ ...one }, { ...two }] })
    const same = await observe(at + 5 * minute, { markets: [{ ...one }, { ...two }] })
    expect(same.markets).toEqual([])
    const moved = await observe(at + 10 * minute, {
      markets: [
        { ...one, bestBid: 0.38 },
        { ...two, question: 'Well?' },
      ],
    })
    expect(moved.markets).toEqual([[2, 'open']])
  })

  test('stores the same rows if it is repeated', async () => {
    const first = await observe(at, { markets: [{ ...one }] })
    const again = await observe(at, { markets: [{ ...one }] })
    expect(again.reading.rows).toEqual(first.reading.rows)
  })

  test('requests by id the markets that were open and are no longer listed', async () => {
    await observe(at, { markets: [{ ...one }, { ...two }] })
    const later = await observe(at + 5 * minute, {
      markets: [{ ...one, closed: true, closedTime: '2026-11-20 13:05:00+00' }, { ...two }],
    })
    expect(later.markets).toEqual([[1, 'closed']])
    expect(later.asked.at(-1)).toBe(`/markets/keyset?closed=true&condition_ids=${condition(1)}&limit=500`)
    expect(later.reading.proof).toContain('1 of 1 that were open before read by id')
  })

  test.each(['open', 'all'])('of %s without many markets that were open is unverified', async (kind) => {
    const all = Array.from({ length: 30 }, (_, n) => gammaMarketBody(n + 1))
    await observe(at, { markets: all })
    const later = at + (kind === 'all' ? 24 * 60 : 5) * minute
    const without = async (n: number, instant: Micros) => (await observe(instant, { markets: all.slice(n) })).reading
    expect(await without(5, later)).toMatchObject({ state: 'complete' })
    expect(await without(6, later + 5 * minute)).toMatchObject({
      state: 'unverified',
      reason: '6 of 30 markets that were open before are not listed',
    })
  })

  test('takes tags from events, and keeps them when an event is no longer listed', async () => {
    const events = [{ id: 77, closed: false, tags: [{ label: 'NBA' }, { label: 'Sports' }, { label: 'NBA' }] }]
    const first = await observe(at, { markets: [{ ...one }], events })
    expect(first.reading.rows.markets?.[0]).toMatchObject({ category: 'sports', tags: ['NBA', 'Sports'] })
    const later = await observe(at + 5 * minute, { markets: [{ ...one, question: 'Well?' }] })
    expect(later.reading.rows.markets?.[0]).toMatchObject({ category: 'sports', tags: ['NBA', 'Sports'] })
  })

  test('refuses rows that do not parse, and keeps the others', async () => {
    const { markets, reading } = await observe(at, { markets: [{ ...one, outcomes: 7 }, { ...two }] })
    expect(markets).toEqual([[2, 'open']])
    expect(reading.rejected).toEqual([
      expect.objectContaining({
        dataset: 'markets',
        path: '/markets/keyset',
        reason: expect.stringMatching(/^outcomes/),
      }),
    ])
  })
})
