import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('the part of a trader in a close is within the window, its ends included', async () => {
  const print = (ts: string, own_size: number, own_usd: number, trader_index = 5, market_index = 1) => ({
    market_index,
    outcome: 0,
    ts,
    trader_index,
    size: trader_index === 6 ? 0 : own_size,
    own_size,
    own_usd,
  })
  const close = { market_id: 'm', opens_at: '2026-11-01 17:45:00', close_at: '2026-11-01 18:00:00' }
  const rows = await run('core.close_shares', {
    'core.ledger_markets': [
      { market_index: 1, market_id: 'm' },
      { market_index: 2, market_id: 'n' },
    ],
    // Both outcomes have a close, and one book.
    'core.closes': [
      { ...close, outcome: 0 },
      { ...close, outcome: 1 },
    ],
    'core.prints': [
      print('2026-11-01 17:44:59.999999', 50, 50),
      print('2026-11-01 17:45:00', 300, 240),
      print('2026-11-01 18:00:00', 100, 80),
      print('2026-11-01 18:00:00.000001', 50, 50),
      print('2026-11-01 18:00:00', 7, 3, 6),
      print('2026-11-01 18:00:00', 50, 50, 5, 2),
    ],
  })
  expect(cut(rows, 'trader_index', 'market_index', 'outcome', 'size', 'cash_usd', 'is_taker')).toEqual([
    [5, 1, 0, 400, 320, true],
    [6, 1, 0, 7, 3, false],
  ])
})
