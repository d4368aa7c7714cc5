import { describe, expect, test } from 'vitest'

import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
/** A market: what its fills are closed at, and what outcome 0 pays; its event is named before the slash. */
type Market = { id: string; close: number; payout: number | null; fills?: Row[] }

const guards = async (...markets: Market[]) => {
  const rows = await run('metrics.clv_guards', {
    'metrics.clv_fills': markets.flatMap(({ id, close, fills = [{}] }) =>
      fills.map((more, seq) => ({
        kind: 'event_start',
        trader: id,
        seq,
        event_id: id.split('/')[0] ?? '',
        market_id: id,
        outcome: 0,
        side: 'buy',
        close_price: close,
        edge_points: -1,
        ...more,
      })),
    ),
    'core.markets': markets.map(({ id }) => ({ market_id: id, n_outcomes: 2 })),
    'core.outcomes': markets.flatMap(({ id, payout }) => [
      { market_id: id, outcome: 0, payout },
      { market_id: id, outcome: 1, payout: payout === null ? null : 1 - payout },
    ]),
  })
  return Object.fromEntries(rows.map((row) => [row['subset'], row]))
}
/** So many markets at a close of 0.6, of which a share wins. */
const many = (n: number, won: number, close = 0.6): Market[] =>
  Array.from({ length: n }, (_, i) => ({ id: `e${i}`, close, payout: i < won ? 1 : 0 }))

describe('the gap', () => {
  test('is what outcome 0 paid above its close, a market once, whatever was traded in it', async () => {
    const second = { outcome: 1, close_price: 0.5 }
    const { all } = await guards(
      { id: 'a', close: 0.5, payout: 1, fills: [{}, { seq: 7 }, second] },
      { id: 'b', close: 0.25, payout: 0 },
      { id: 'unresolved', close: 0.9, payout: null },
    )
    expect(all).toMatchObject({ n_markets: 2, n_events: 2, gap: 0.125 })
    // Deviations of 0.375 either way: sqrt(2/1 x 2 x 0.375^2) / 2
    expect(all?.['se']).toBeCloseTo(0.375, 9)
  })

  test('of those that beat the close is seen from what they bought', async () => {
    const up = { edge_points: 1 }
    const { positive } = await guards(
      { id: 'a', close: 0.75, payout: 1, fills: [up, { edge_points: -1 }] },
      { id: 'b', close: 0.5, payout: 1, fills: [{ ...up, side: 'sell' }] },
      { id: 'c', close: 0.5, payout: 0, fills: [{ ...up, outcome: 1, close_price: 0.5 }] },
      { id: 'd', close: 0.5, payout: 1, fills: [{ edge_points: 0 }] },
    )
    expect(positive).toMatchObject({ n_markets: 3 })
    expect(positive?.['gap']).toBeCloseTo((0.25 - 0.5 + 0.5) / 3, 9)
  })

  test('has an error clustered by event', async () => {
    const apart = await guards(
      { id: 'a', close: 0.5, payout: 1 },
      { id: 'b', close: 0.5, payout: 1 },
      { id: 'c', close: 0.5, payout: 0 },
      { id: 'd', close: 0.5, payout: 0 },
    )
    const together = await guards(
      { id: 'a/1', close: 0.5, payout: 1 },
      { id: 'a/2', close: 0.5, payout: 1 },
      { id: 'b/1', close: 0.5, payout: 0 },
      { id: 'b/2', close: 0.5, payout: 0 },
    )
    expect(apart['all']?.['se']).toBeCloseTo(Math.sqrt((4 / 3) * 4 * 0.25) / 4, 9)
    expect(together['all']?.['se']).toBeCloseTo(Math.sqrt(2 * 2 * 1) / 4, 9)
  })
})

describe('a guard', () => {
  test('holds where closes are right on average', async () => {
    expect((await guards(...many(200, 120)))['all']).toMatchObject({ is_held: true, gap: 0 })
    // 2.58 standard errors of a share of 0.6 among 200 are 0.085: 17 won too many break it.
    expect((await guards(...many(200, 136)))['all']).toMatchObject({ is_held: true })
    expect((await guards(...many(200, 137)))['all']).toMatchObject({ is_held: false })
    expect((await guards(...many(200, 101)))['all']).toMatchObject({ is_held: false })
  })

  test('says nothing of fewer than 200 markets', async () => {
    expect((await guards(...many(199, 0)))['all']).toMatchObject({ is_held: null, n_markets: 199 })
    expect((await guards({ id: 'a', close: 0.5, payout: 1 }))['all']).toMatchObject({ is_held: null, se: null })
  })

  test('is broken where more than 15 % of closes are near 0 or 1, however few there are', async () => {
    const extreme = (n: number, close: number): Market[] =>
      Array.from({ length: n }, (_, i) => ({ id: `x${i}`, close, payout: close > 0.5 ? 1 : 0 }))
    const held = async (...markets: Market[]) => (await guards(...markets))['all']?.['is_held']
    expect(await held(...many(170, 102), ...extreme(30, 0.98))).toBe(true)
    expect(await held(...many(169, 101), ...extreme(31, 0.98))).toBe(false)
    expect(await held(...many(169, 101), ...extreme(31, 0.97))).toBe(true)
    expect(await held(...many(8, 5), ...extreme(2, 0.02))).toBe(false)
  })
})

test('kinds are guarded apart', async () => {
  const markout = { kind: 'markout_24h', seq: 9 }
  const rows = await guards(
    { id: 'a', close: 0.5, payout: 1, fills: [{}, markout] },
    { id: 'b', close: 0.5, payout: 0 },
  )
  // By subset alone, so that the last kind stays: that of one market.
  expect(rows['all']).toMatchObject({ kind: 'markout_24h', n_markets: 1 })
})
