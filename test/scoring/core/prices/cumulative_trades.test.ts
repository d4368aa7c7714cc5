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
  const rows = await run('core.cumulative_trades', {
    'core.prints': [
      print(late, 3, 10, 8),
      print(early, 1, 10, 6),
      print(early, 2, 30, 12),
      // Only a maker's: the taker's row has it.
      print('2026-01-05 10:00:02', 4, 0, 0),
      print(late, 1, 2, 1, 2),
    ],
  })
  expect(cut(rows, 'market_index', 'ts', 'price', 'size', 'cash_usd')).toEqual([
    [1, early, 0.45, 40, 18],
    [1, late, 0.8, 50, 26],
    [2, late, 0.5, 2, 1],
  ])
})
