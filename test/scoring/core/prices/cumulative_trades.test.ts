import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('an instant has one price, and all that was traded until then', async () => {
  const print = (ts: string, trader_index: number, size: number, cash_usd: number, market_index = 1) => ({
    market_index,
    outcome: 0,
    ts,
    trader_index,
    size,
    cash_usd,
  })
  const [early, late] = ['2026-01-05 10:00:00', '2026-01-05 10:00:01']
  const us = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`) * 1000
  const recency = (market_index: number, ts: string, third_us: number | null) => ({
    market_index,
    outcome: 0,
    ts_us: us(ts),
    third_us,
    fourth_us: null,
  })
  const rows = await run('core.cumulative_trades', {
    'core.prints': [
      print(late, 3, 10, 8),
      print(early, 1, 10, 6),
      print(early, 2, 30, 12),
      // Only a maker's: the taker's row has it.
      print('2026-01-05 10:00:02', 4, 0, 0),
      print(late, 1, 2, 1, 2),
    ],
    'core.taker_recency': [recency(1, early, null), recency(1, late, us(early)), recency(2, late, null)],
  })
  expect(cut(rows, 'market_index', 'ts', 'price', 'size', 'cash_usd', 'third_us')).toEqual([
    [1, early, 0.45, 40, 18, null],
    [1, late, 0.8, 50, 26, us(early)],
    [2, late, 0.5, 2, 1, null],
  ])
})
