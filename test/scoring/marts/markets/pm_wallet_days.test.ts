import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const day = (trader: string, date: string, market_id: string, realized_usd: number) => ({
  trader,
  day: date,
  market_id,
  n_fills: 1,
  volume_usd: 10,
  realized_usd,
})

test('days add up over markets to the equity and its fall from the peak, each rounded by itself', async () => {
  const rows = await run('marts.pm_wallet_days', {
    'core.trader_days': [
      day('0xa', '2026-11-01', 'm', 0.004),
      day('0xa', '2026-11-02', 'm', 0.004),
      day('0xa', '2026-11-02', 'n', 0.001),
      day('0xa', '2026-11-05', 'm', -3),
      day('0xa', '2026-11-06', 'm', 1),
      day('0xb', '2026-11-03', 'm', -2.5),
    ],
  })
  expect(cut(rows, 'address', 'day', 'pnl', 'equity', 'drawdown', 'volume', 'n_fills')).toEqual([
    ['0xa', '2026-11-01', 0, 0, 0, 10, 1],
    ['0xa', '2026-11-02', 0.01, 0.01, 0, 20, 2],
    ['0xa', '2026-11-05', -3, -2.99, 3, 10, 1],
    ['0xa', '2026-11-06', 1, -1.99, 2, 10, 1],
    // The peak before the first day is 0.
    ['0xb', '2026-11-03', -2.5, -2.5, 2.5, 10, 1],
  ])
})
