import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const proven = { trader: '0xa', range: 'all', kind: 'markout_24h', skill_points: 3, skill_se: 1, is_trusted: true }
const fills = (n: number, usd: (i: number) => number) =>
  Array.from({ length: n }, (_, i) => ({
    trader: '0xa',
    ts: '2026-11-01 00:00:00',
    seq: i,
    tx: `t${i}`,
    market_id: 'v:m',
    outcome: 0,
    side: 'buy',
    cash_usd: usd(i),
  }))
const given = (score: object, rows: ReturnType<typeof fills>) => ({
  'metrics.clv_scores': [{ ...proven, ...score }],
  'core.fills': rows,
  'metrics.trader_traits': [{ trader: '0xa', archetype: 'sharp' }],
})

test('a trader needs a lower bound above 0, a trusted kind and 20 trades of 90 days', async () => {
  const enough = fills(20, () => 100)
  expect(await run('metrics.signal_traders', given({}, enough))).toHaveLength(1)
  expect(await run('metrics.signal_traders', given({ skill_se: 1.9 }, enough))).toEqual([])
  expect(await run('metrics.signal_traders', given({ is_trusted: false }, enough))).toEqual([])
  expect(
    await run(
      'metrics.signal_traders',
      given(
        {},
        fills(19, () => 100),
      ),
    ),
  ).toEqual([])
  const old = enough.map((fill) => ({ ...fill, ts: '2026-08-01 00:00:00' }))
  expect(await run('metrics.signal_traders', given({}, old))).toEqual([])
  // Traders whose values do not differ by more than chance have no error, and none of them is proven.
  expect(await run('metrics.signal_traders', given({ skill_se: 0 }, enough))).toEqual([])
})

test('the threshold is at least 1,000 USD, and fills of one transaction are one trade', async () => {
  const [small] = await run(
    'metrics.signal_traders',
    given(
      {},
      fills(40, () => 100),
    ),
  )
  expect(small).toMatchObject({ n_trades: 40, threshold_usd: 1_000, tail_shape: 2, tail_scale: 1 })
  expect(small?.['tail_share']).toBeCloseTo(1 / 41, 6)
  const split = fills(40, () => 100).map((fill, i) => ({ ...fill, tx: `t${i >> 1}` }))
  expect(await run('metrics.signal_traders', given({}, split))).toMatchObject([{ n_trades: 20 }])
})

test('the tail is that of the trades above the threshold, and the confidence that of the closing line value', async () => {
  const sizes = Array.from({ length: 101 }, (_, i) => 2_000 + 10 * i)
  const [row] = await run(
    'metrics.signal_traders',
    given(
      {},
      fills(101, (i) => sizes[i] ?? 0),
    ),
  )
  const above = sizes.filter((usd) => usd >= 2_950)
  const excess = above.reduce((sum, usd) => sum + Math.log(usd / 2_950), 0)
  expect(row).toMatchObject({ threshold_usd: 2_950, tail_shape: 2 + above.length })
  expect(row?.['tail_scale']).toBeCloseTo(1 + excess, 6)
  expect(row?.['tail_share']).toBeCloseTo((above.length + 1) / 102, 6)
  expect(row?.['confidence']).toBeCloseTo(0.99865, 5)
})
