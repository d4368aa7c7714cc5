import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const combo = `polymarket:0x03${'a'.repeat(60)}`
const given = (fills: Row[], activity: Row[] = []): Given => ({
  'staging.coverage_intervals': ['fills', 'activity'].map((dataset) => ({
    dataset,
    source: 'polymarket_activity',
    part: 'polymarket',
    key: 'ann',
    from_at: '2026-01-01',
    to_at: '2026-12-01',
  })),
  'lake.fills': fills.map((row, seq) => ({
    source: 'polymarket_activity',
    venue: 'polymarket',
    trader: 'ann',
    ts: '2026-10-01',
    market_id: combo,
    seq,
    ...row,
  })),
  'lake.activity': activity.map((row, seq) => ({
    source: 'polymarket_activity',
    venue: 'polymarket',
    trader: 'ann',
    ts: '2026-10-02',
    market_id: combo,
    seq,
    ...row,
  })),
})
const combos = async (of: Given) => cut(await run('core.combos', of), 'trader', 'n_fills', 'combo_usd')

test('the cash of parlays is what came in, less what was paid', async () => {
  const fills = [
    { side: 'buy', cash_usd: 10, fee_usd: 0.5 },
    { side: 'sell', size: 8, price: 0.5, cash_usd: null },
  ]
  expect(await combos(given(fills, [{ kind: 'redeem', cash_usd: 20 }]))).toEqual([['ann', 2, 13.5]])
})

test('a fill counts once, by the account’s own history, up to the clock, and only of a parlay', async () => {
  const buy = { side: 'buy', cash_usd: 10 }
  const fills = [
    buy,
    { ...buy, source: 'polymarket_trades' },
    { ...buy, ts: '2026-11-21' },
    { ...buy, market_id: 'polymarket:0x04' },
    { ...buy, trader: 'bob' },
  ]
  expect(await combos(given(fills))).toEqual([['ann', 1, -10]])
})
