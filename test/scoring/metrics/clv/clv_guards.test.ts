import { describe, expect, test } from 'vitest'

import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
/** A market: the close of its fills, and the payout of outcome 0. Its category is named before the slash. */
type Market = { id: string; close: number; payout: number | null; fills?: Row[]; resolved?: string }
const resolved_at = '2026-11-10'

const guards = async (...markets: Market[]) => {
  const rows = await run('metrics.clv_guards', {
    'metrics.clv_edges': markets.flatMap(({ id, close, fills = [{}] }, market_index) =>
      fills.map((more, seq) => ({
        kind: 'event_start',
        trader_index: market_index,
        seq,
        category: id.split('/')[0] ?? '',
        close_at: '2026-11-01 18:00:00',
        is_resolved: false,
        market_index,
        outcome: 0,
        side: 'buy',
        close_price: close,
        edge_points: -1,
        ...more,
      })),
    ),
    'core.ledger_markets': markets.map(({ id, payout, resolved = resolved_at }) => ({
      market_id: id,
      n_outcomes: 2,
      resolved_at: payout === null ? null : resolved,
    })),
    'core.outcomes': markets.flatMap(({ id, payout }) => [
      { market_id: id, outcome: 0, payout },
      { market_id: id, outcome: 1, payout: payout === null ? null : 1 - payout },
    ]),
  })
  return Object.fromEntries(rows.map((row) => [row['kind'] === 'event_start' ? 'all' : 'markout', row]))
}
/** A number of markets with a close of 0.6; outcome 0 wins in a share of them. */
const many = (n: number, won: number, close = 0.6): Market[] =>
  Array.from({ length: n }, (_, i) => ({ id: `e${i}`, close, payout: i < won ? 1 : 0 }))

describe('the gap', () => {
  test('is what outcome 0 paid above its close, a market once, whatever was traded in it', async () => {
    const later = { ts: '2026-11-01', close_price: 0.9 }
    const { all } = await guards(
      { id: 'a', close: 0.5, payout: 1, fills: [later, { ts: '2026-10-01' }, { ...later, seq: 7 }] },
      { id: 'b', close: 0.25, payout: 0, fills: [{ outcome: 1, close_price: 0.75 }] },
      { id: 'unresolved', close: 0.9, payout: null },
      { id: 'early', close: 0.9, payout: 1, fills: [{ is_resolved: true }] },
    )
    // Two categories, from November 1 to 10.
    expect(all).toMatchObject({ n_markets: 2, n_clusters: 20, gap: 0.125 })
    // Errors of 0.5 and -0.25 in two categories.
    expect(all?.['se']).toBeCloseTo(Math.sqrt(0.5 ** 2 + 0.25 ** 2) / 2, 9)
  })

  test('has an error spread over the days from the close to the resolution, by category', async () => {
    const at = (id: string, payout: number, close_at: string): Market => ({
      id,
      close: 0.5,
      payout,
      fills: [{ close_at: `2026-${close_at}` }],
    })
    const se = async (...markets: Market[]) => (await guards(...markets))['all']?.['se']
    // Each error is 0.5 and lies on the days to November 10.
    const day = '11-10 01:00:00'
    expect(await se(at('a/1', 1, day), at('b/1', 1, day))).toBeCloseTo(Math.sqrt(2 * 0.5 ** 2) / 2, 9)
    expect(await se(at('a/1', 1, day), at('a/2', 1, '11-10 23:00:00'))).toBeCloseTo(1 / 2, 9)
    expect(await se(at('a/1', 1, day), at('a/2', 0, day))).toBeCloseTo(0, 9)
    // One error of four days, and one of the last of them: 3 x (0.5 / 2)^2 + (0.5 / 2 + 0.5)^2.
    expect(await se(at('a/1', 1, '11-07 09:00:00'), at('a/2', 1, day))).toBeCloseTo(Math.sqrt(0.75) / 2, 9)
    // A close after the resolution has one day.
    expect(await se(at('a/1', 1, '11-12 09:00:00'))).toBeCloseTo(0.5, 9)
  })
})

describe('the slope', () => {
  test('is that of the payouts over the closes, with an error by cluster', async () => {
    // Closes 0.2, 0.4, 0.6, 0.8 about 0.5; payouts 0, 0, 1, 1: slope 0.4 / 0.2 = 2.
    const closes: [number, number][] = [
      [0.2, 0],
      [0.4, 0],
      [0.6, 1],
      [0.8, 1],
    ]
    const { all } = await guards(...closes.map(([close, payout], i) => ({ id: `m${i}`, close, payout })))
    expect(all?.['slope']).toBeCloseTo(2, 9)
    // Payouts minus closes -0.2, -0.4, 0.4, 0.2 times deviations -0.3, -0.1, 0.1, 0.3.
    const squares = 2 * 0.06 ** 2 + 2 * 0.04 ** 2
    expect(all?.['slope_se']).toBeCloseTo(Math.sqrt(squares) / 0.2, 9)
  })

  test('is exact for closes that lie near each other, and null for closes without a difference', async () => {
    const near = async (apart: number) =>
      (await guards({ id: 'a', close: 0.6, payout: 1 }, { id: 'b', close: 0.6 + apart, payout: 1 }))['all']
    // The deviations are -d and d, the payouts minus closes -d and d about their mean: sqrt(2) d^2 over 2 d^2.
    for (const apart of [0.1, 0.001, 0.000_05]) {
      const row = await near(apart)
      expect(row?.['slope']).toBeCloseTo(0, 9)
      expect(row?.['slope_se']).toBeCloseTo(Math.SQRT1_2, 9)
    }
    expect(await near(0)).toMatchObject({ slope: null, slope_se: null })
  })

  test('is that of a thousand markets, whose sums are large', async () => {
    const { all } = await guards(...many(1100, 990, 0.95), { id: 'other', close: 0.5, payout: 0 })
    expect(all).toMatchObject({ n_markets: 1101 })
    // The line goes through the mean payouts of both closes, 0.9 at 0.95 and 0 at 0.5.
    expect(all?.['slope']).toBeCloseTo(2, 9)
  })

  test('that is wrong breaks a guard that has no gap', async () => {
    // Prices of 0.4 and 0.6 whose outcomes happen in 1 and 9 of 10 cases.
    const half = (n: number, won: number, close: number): Market[] =>
      Array.from({ length: n }, (_, i) => ({ id: `c${close}-${i}`, close, payout: i < won ? 1 : 0 }))
    const { all } = await guards(...half(100, 10, 0.4), ...half(100, 90, 0.6))
    expect(all).toMatchObject({ gap: 0, state: 'broken', is_held: false })
    const right = await guards(...half(100, 40, 0.4), ...half(100, 60, 0.6))
    expect(right['all']).toMatchObject({ is_held: true })
    expect(right['all']?.['slope']).toBeCloseTo(1, 9)
  })
})

describe('a guard', () => {
  test('breaks where an effect is beyond its bound for sure; before that it warns', async () => {
    const state = async (won: number) => (await guards(...many(200, won)))['all']?.['state']
    expect((await guards(...many(200, 120)))['all']).toMatchObject({ state: 'held', is_held: true, gap: 0 })
    // An error of sqrt(145 x 0.4^2 + 55 x 0.6^2) / 200 = 0.0328: 0.125 - 3.29 x 0.0328 is below 0.02, for 0.13 it is not.
    expect(await state(145)).toBe('warning')
    expect((await guards(...many(200, 146)))['all']).toMatchObject({ state: 'broken', is_held: false })
    expect(await state(92)).toBe('warning')
    expect(await state(91)).toBe('broken')
    // 0.065 is beyond half of the bound, and not for sure above 0; 0.07 is.
    expect(await state(133)).toBe('held')
    expect(await state(134)).toBe('warning')
  })

  test('stays broken until it mends, by what was known at Mondays', async () => {
    const named = (prefix: string, markets: Market[], resolved: string): Market[] =>
      markets.map(({ id, ...market }) => ({
        ...market,
        id: `${prefix}${id}`,
        resolved,
        fills: [{ close_at: '2026-09-01' }],
      }))
    const state = async (first: Market[], later: Market[]) =>
      (await guards(...named('a', first, '2026-09-20'), ...named('b', later, '2026-11-18')))['all']
    // 384 of 600 have a gap of 0.04, which does not break; 364 have one of 0.0067.
    expect(await state(many(200, 160), many(400, 224))).toMatchObject({
      state: 'broken',
      is_held: false,
      gap: expect.closeTo(0.04, 9),
      broken_at: '2026-11-16 00:00:00',
    })
    expect(await state(many(200, 160), many(400, 204))).toMatchObject({ state: 'held', broken_at: null })
    expect(await state(many(200, 120), many(400, 264))).toMatchObject({ state: 'warning', broken_at: null })
    // What broke thirteen Mondays ago, and not since, is not known any more.
    const old = named('a', many(200, 160), '2026-08-20')
    const mended = named('b', many(400, 224), '2026-08-30')
    expect((await guards(...old, ...mended))['all']).toMatchObject({ broken_at: null })
  })

  test('says nothing of fewer than 200 markets', async () => {
    expect((await guards(...many(199, 0)))['all']).toMatchObject({ is_held: null, n_markets: 199 })
    expect((await guards({ id: 'a', close: 0.5, payout: 1 }))['all']).toMatchObject({ is_held: null, se: 0.5 })
  })

  test('is broken where more than 15 % of closes are near 0 or 1', async () => {
    const extreme = (n: number, close: number): Market[] =>
      Array.from({ length: n }, (_, i) => ({ id: `x${i}`, close, payout: close > 0.5 ? 1 : 0 }))
    const held = async (...markets: Market[]) => (await guards(...markets))['all']?.['is_held']
    expect(await held(...many(170, 102), ...extreme(30, 0.98))).toBe(true)
    expect(await held(...many(169, 101), ...extreme(31, 0.98))).toBe(false)
    expect(await held(...many(169, 101), ...extreme(31, 0.97))).toBe(true)
    expect(await held(...many(16, 10), ...extreme(4, 0.02))).toBe(false)
    expect(await held(...many(15, 9), ...extreme(4, 0.02))).toBeNull()
  })
})

test('kinds are guarded apart', async () => {
  const markout = { kind: 'markout_24h', seq: 9 }
  const rows = await guards(
    { id: 'a', close: 0.5, payout: 1, fills: [{}, markout] },
    { id: 'b', close: 0.5, payout: 0 },
  )
  expect(rows['all']).toMatchObject({ n_markets: 2 })
  expect(rows['markout']).toMatchObject({ n_markets: 1, state: 'unknown', is_held: null })
})
