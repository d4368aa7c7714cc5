import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { limitlessActivity } from '#sources/markets/limitless/limitless_activity.ts'
import {
  fakeGet,
  planWith,
  readWith,
  store,
  temporaryLake,
  type Upstream,
} from '#test/sources/markets/polymarket/fake.ts'

import { hex, historyBody, slug, venue, wallet } from './wire.ts'

const at = Date.UTC(2026, 10, 20) * 1000
const unit: Unit = {
  source: 'limitless_activity',
  kind: 'history',
  part: 'limitless',
  key: wallet(1),
  from: 0,
  to: null,
  params: [],
}

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

type Body = Record<string, unknown>

const read = async (upstream: Upstream, until = at) => {
  const { get, asked } = fakeGet(upstream)
  const reading = await readWith(limitlessActivity, unit, { lake, get, at, until })
  return { ...reading, asked, fills: reading.rows.fills ?? [], activity: reading.rows.activity ?? [] }
}
const of = (...rows: Body[]) => venue({ histories: { [wallet(1)]: rows } })
const path = `/portfolio/${wallet(1)}/history`

describe('an account', () => {
  test('is read by cursor to its end', async () => {
    const rows = Array.from({ length: 250 }, (_, n) => historyBody({ tradeEventId: n }))
    const { asked, fills, state, proof } = await read(of(...rows))
    expect(asked).toEqual([`${path}?limit=100`, `${path}?cursor=100&limit=100`, `${path}?cursor=200&limit=100`])
    expect([fills.length, state]).toEqual([250, 'complete'])
    expect(proof).toBe('cursors followed to their end: 250 fills, 0 other rows')
  })

  test('is read by page where the venue counts the rows, with rows of two pages once', async () => {
    const rows = Array.from({ length: 120 }, (_, n) => historyBody({ tradeEventId: n }))
    const { asked, fills, proof } = await read((_, query) => {
      const page = Number(query.get('page') ?? 1)
      // The second page repeats the last row of the first.
      return { body: { data: page === 1 ? rows.slice(0, 100) : rows.slice(99), page, limit: 100, totalCount: 120 } }
    })
    const paged = (page: number) => `${path}?limit=100&page=${page}`
    expect(asked).toEqual([`${path}?limit=100`, paged(1), paged(2), paged(1)])
    expect(fills).toHaveLength(120)
    expect(proof).toMatch(/^pages followed to their count: /)
  })

  test('with a cursor that repeats is an error', async () => {
    await expect(read(() => ({ body: { data: [], nextCursor: 'x' } }))).rejects.toThrow('cursor x: repeated')
  })

  test('that the venue does not know has no history', async () => {
    expect(await read(venue({}))).toMatchObject({ fills: [], activity: [], state: 'unavailable' })
    await expect(read(() => ({ status: 400 }))).rejects.toThrow('answered 400')
  })

  test('may have done nothing', async () => {
    expect(await read(of())).toMatchObject({ fills: [], activity: [], state: 'complete' })
  })

  test('has fills with the actual cash', async () => {
    const { fills } = await read(of(historyBody()))
    expect(fills).toEqual([
      {
        venue: 'limitless',
        token_id: `${slug(1)}:0`,
        ts: 1_790_000_000_000_000,
        tx: hex(1),
        trader: wallet(1),
        side: 'buy',
        price: 510_000n,
        size: 50_000_000n,
        seq: 0,
        market_id: `limitless:${slug(1)}`,
        role: null,
        cash_usd: 25_500_000n,
        fee_usd: 0n,
      },
    ])
  })

  test.each<[string, Body, bigint, bigint, string | null]>([
    ['a purchase with its fee in shares', { collateralAmount: '26' }, 25_500_000n, 500_000n, null],
    ['a sale with its fee', { strategy: 'Limit Sell', collateralAmount: '25' }, 25_500_000n, 500_000n, null],
    ['less than price times size', { collateralAmount: '25.4' }, 25_400_000n, 0n, null],
    ['no price', { outcomeTokenPrice: null, collateralAmount: '20' }, 20_000_000n, 0n, null],
    ['a price from 0 to 100', { outcomeTokenPrice: 51 }, 25_500_000n, 0n, null],
    ['a market order', { strategy: 'Market Buy' }, 25_500_000n, 0n, 'taker'],
    ['a maker’s side', { makerMatchId: 'm1' }, 25_500_000n, 0n, 'maker'],
    ['the automated maker', { strategy: 'Buy', outcomeIndex: 1 }, 25_500_000n, 0n, 'taker'],
  ])('has fills of %s', async (_, more, cash_usd, fee_usd, role) => {
    const { fills, rejected } = await read(of(historyBody(more)))
    expect(rejected).toEqual([])
    expect(fills.map((fill) => [fill.cash_usd, fill.fee_usd, fill.role])).toEqual([[cash_usd, fee_usd, role]])
  })

  const raw = { collateralAmount: '25500000', outcomeTokenAmount: '50000000', outcomeTokenAmounts: ['50000000', '0'] }
  const dust = {
    collateralAmount: '510',
    outcomeTokenAmount: '1000',
    outcomeTokenAmounts: ['1000', '0'],
    tradeEventId: 2,
  }
  test.each<[string, Body[], [bigint, bigint][]]>([
    [
      'raw integers, small ones too',
      [raw, dust],
      [
        [25_500_000n, 50_000_000n],
        [510n, 1_000n],
      ],
    ],
    [
      'whole decimal numbers',
      [{ ...dust, collateralAmount: '51', outcomeTokenAmount: '100' }],
      [[51_000_000n, 100_000_000n]],
    ],
    [
      'JSON numbers',
      [{ collateralAmount: 25.5, outcomeTokenAmount: 50, outcomeTokenAmounts: [50, 0] }],
      [[25_500_000n, 50_000_000n]],
    ],
    [
      'raw cash with decimal shares',
      [
        { collateralAmount: '25500000' },
        { ...raw, outcomeTokenAmounts: ['50.0', '0'], tradeEventId: 3, outcomeTokenAmount: '50.0' },
      ],
      [
        [25_500_000n, 50_000_000n],
        [25_500_000n, 50_000_000n],
      ],
    ],
    [
      '18 decimals',
      [
        {
          collateralAmount: `255${'0'.repeat(17)}`,
          outcomeTokenAmount: `5${'0'.repeat(19)}`,
          outcomeTokenAmounts: [],
          market: { slug: slug(1), collateral: { symbol: 'USDX', decimals: 18 } },
        },
      ],
      [[25_500_000n, 50_000_000n]],
    ],
  ])('has amounts as %s', async (_, rows, expected) => {
    const { fills, rejected } = await read(of(...rows.map((row) => historyBody(row))))
    expect(rejected).toEqual([])
    expect(fills.map(({ cash_usd, size }) => [cash_usd, size])).toEqual(expected)
  })

  test('has whole decimal numbers as decimal if stored fills have the sizes', async () => {
    const whole = { collateralAmount: '76500', outcomeTokenAmount: '150000', outcomeTokenAmounts: ['150000', '0'] }
    const { fills: raw } = await read(of(historyBody(whole)))
    expect(raw.map(({ size }) => size)).toEqual([150_000n])
    const known = raw.map((fill) => ({ ...fill, size: 150_000_000_000n, role: 'taker' }))
    await store(lake, { ...unit, source: 'limitless_trades', key: slug(1) }, { fills: known }, { at })
    const { fills, rejected } = await read(of(historyBody(whole)))
    expect(rejected).toEqual([])
    expect(fills.map(({ cash_usd, size }) => [cash_usd, size])).toEqual([[76_500_000_000n, 150_000_000_000n]])
  })

  test('has splits, merges and conversions with the sizes as they are written', async () => {
    const move = { outcomeTokenPrice: null, outcomeIndex: null, outcomeTokenAmount: null }
    const { activity, fills } = await read(
      of(
        historyBody({ ...move, strategy: 'Split', collateralAmount: '5', outcomeTokenAmounts: ['5', '5'] }),
        // A merge as it was recorded: twice the sets.
        historyBody({
          ...move,
          strategy: 'Merge',
          tradeEventId: 2,
          collateralAmount: 10.540456,
          outcomeTokenAmounts: [21.080913, 21.080913],
        }),
        historyBody({ ...move, strategy: 'Convert', tradeEventId: 3, collateralAmount: '7', outcomeTokenAmounts: [] }),
      ),
    )
    expect(fills).toEqual([])
    expect(activity.map(({ kind, size, cash_usd, market_id }) => [kind, size, cash_usd, market_id])).toEqual([
      ['split', 5_000_000n, 5_000_000n, `limitless:${slug(1)}`],
      ['merge', 21_080_913n, 10_540_456n, `limitless:${slug(1)}`],
      ['convert', null, 7_000_000n, `limitless:${slug(1)}`],
    ])
  })

  test.each<[Body, string]>([
    [{ strategy: 'Gift' }, 'strategy: '],
    [{ collateralAmount: '25500' }, 'collateralAmount: contradicts the price times the shares; expected their product'],
    [
      { outcomeTokenAmount: 1e12, collateralAmount: 1e12, outcomeTokenPrice: 1 },
      'collateralAmount: expected a number from 0 to less than 10^12',
    ],
    [{ outcomeTokenAmount: 'many' }, 'outcomeTokenAmount: expected a number from 0 on'],
    [{ blockTimestamp: 1_790_000_000_000 }, 'blockTimestamp: '],
    [{ outcomeIndex: 2 }, 'outcomeIndex: expected the outcome 0 or 1'],
    [{ tradeEventId: null }, 'tradeEventId: '],
    [
      { market: { slug: slug(1), collateral: { symbol: 'WETH', decimals: 18 } } },
      'market.collateral.symbol: WETH; expected dollars',
    ],
  ])('has no row of %j, with the reason', async (more, reason) => {
    const { fills, rejected } = await read(of(historyBody(more), historyBody({ tradeEventId: 'other' })))
    expect([fills.length, rejected.length]).toEqual([1, 1])
    expect(rejected[0]?.reason.slice(0, reason.length)).toBe(reason)
  })
})

describe('the accounts that are read', () => {
  const fill = (n: number, ts: number) => ({
    venue: 'limitless', token_id: `${slug(1)}:0`, ts, tx: hex(n), trader: wallet(2), side: 'buy', price: 1n, size: 1n, seq: n,
    market_id: `limitless:${slug(1)}`, role: 'taker', cash_usd: 1n, fee_usd: null,
  }) // prettier-ignore
  const trades = (n: number, ts: number) =>
    store(
      lake,
      { ...unit, source: 'limitless_trades', key: slug(1) },
      { fills: Array.from({ length: n }, (_, i) => fill(i, ts)) },
      { at },
    )
  const planned = async (more: object = {}) =>
    (await planWith(limitlessActivity, lake, { at, ...more })).map(({ key }) => key)

  test('took five fills, or are named', async () => {
    await trades(4, at - 1)
    expect(await planned()).toEqual([])
    expect(await planned({ keys: [wallet(3).toUpperCase().replace('0X', '0x')] })).toEqual([wallet(3)])
    await trades(5, at - 1)
    expect(await planned()).toEqual([wallet(2)])
    expect(await planned({ from: at })).toEqual([])
  })

  test('are read again after they traded', async () => {
    await trades(5, at - 1_000)
    await store(lake, { ...unit, key: wallet(2) }, { activity: [], fills: [] }, { at, state: 'head', to: at })
    expect(await planned()).toEqual([])
    await store(lake, { ...unit, key: wallet(2) }, { activity: [], fills: [] }, { at, state: 'head', to: at - 2_000 })
    expect(await planned()).toEqual([wallet(2)])
  })
})
