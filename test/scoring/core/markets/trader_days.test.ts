import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const realized = (kind: string, ts: string, size = 5, more: Row = {}): Row => ({
  trader: 'ann',
  market_id: 'm',
  outcome: 0,
  kind,
  ts,
  size,
  ...more,
})

describe("a trader's day in a market", () => {
  test('is a UTC day, of what was traded and what was realized, also where it is one alone', async () => {
    const traded = (ts: string, cash_usd: number, more: Row = {}) => ({
      trader: 'ann',
      market_id: 'm',
      ts,
      cash_usd,
      is_self: false,
      ...more,
    })
    const rows = await run('core.trader_days', {
      'core.fills': [
        traded('2026-03-01 23:59:59.999999', 1, { role: 'maker', fee_usd: 0.25 }),
        traded('2026-03-01 00:00:00', 2, { role: 'taker', fee_usd: 0.5 }),
        traded('2026-03-01 12:00:00', 4, { role: 'maker', is_self: true }),
        traded('2026-03-02 00:00:00', 8),
        traded('2026-03-02 00:00:00', 16, { market_id: 'n' }),
      ],
      'core.realizations': [
        realized('sale', '2026-03-02 10:00', 1, { pnl_usd: -1.5 }),
        realized('merge', '2026-03-02 11:00', 1, { pnl_usd: 0.25 }),
        realized('resolution', '2026-03-09 11:00', 1, { pnl_usd: 7 }),
      ],
    })
    const columns = ['day', 'market_id', 'n_fills', 'volume_usd', 'maker_usd', 'fees_usd', 'realized_usd']
    expect(cut(rows, ...columns)).toEqual([
      ['2026-03-01', 'm', 3, 3, 1, 0.75, 0],
      ['2026-03-02', 'm', 1, 8, 0, 0, -1.25],
      ['2026-03-02', 'n', 1, 16, 0, 0, 0],
      ['2026-03-09', 'm', 0, 0, 0, 0, 7],
    ])
  })
})
