import { expect, test } from 'vitest'

import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'
import { cut } from '#test/scoring/model.ts'

const at = (n: number, hour = 0): string =>
  `2026-11-${String(n).padStart(2, '0')} ${String(hour).padStart(2, '0')}:00:00`

const given = {
  'core.tokens': [
    ...monies.map((row) => ({ ...row, symbol: row.token.toUpperCase() })),
    { chain: 'base', token: 'coin', symbol: 'COIN', decimals: 2, kind: 'other' },
  ],
  'core.trades': [
    trade('buy', 1, at(1), { wallet: '0xa', token: 'coin', usd: 10 }),
    trade('sell', 2, at(2), { wallet: '0xa', token: 'coin', usd: 13 }),
    trade('buy', 3, at(3), { wallet: '0xa', token: 'coin', usd: 10 }),
    trade('sell', 4, at(4), { wallet: '0xa', token: 'coin', usd: 8 }),
    trade('buy', 5, at(4, 1), { wallet: '0xa', token: 'thin', usd: 10 }),
    trade('sell', 6, at(4, 2), { wallet: '0xa', token: 'thin', usd: 99 }),
  ],
  'core.prices': [at(1), at(2), at(3), at(4)].map((ts) => ({
    chain: 'base',
    token: 'coin',
    ts,
    n_pools: 2,
    depth_usd: 1_000,
  })),
}

test('days add up to the equity of ranked results, and its fall', async () => {
  const rows = await run('marts.wallet_days', given)
  expect(cut(rows, 'address', 'chain', 'day', 'pnl', 'unranked', 'equity', 'drawdown')).toEqual([
    ['0xa', 'base', '2026-11-01', 0, 0, 0, 0],
    ['0xa', 'base', '2026-11-02', 3, 0, 3, 0],
    ['0xa', 'base', '2026-11-03', 0, 0, 3, 0],
    ['0xa', 'base', '2026-11-04', -2, 89, 1, 2],
  ])
  const [profile] = await run('marts.wallet', given)
  expect(rows.at(-1)?.['equity']).toBe(profile?.['realized_all_time'])
})

test('trades have the newest first, the names of their tokens, and the ranked result of a sale', async () => {
  const rows = await run('marts.wallet_trades', given)
  expect(cut(rows, 'rank', 'ts', 'sold_symbol', 'bought_symbol', 'value', 'pnl')).toEqual([
    [1, at(4, 2), null, 'USDC', 99, null],
    [2, at(4, 1), 'USDC', null, 10, null],
    [3, at(4), 'COIN', 'USDC', 8, -2],
    [4, at(3), 'USDC', 'COIN', 10, null],
    [5, at(2), 'COIN', 'USDC', 13, 3],
    [6, at(1), 'USDC', 'COIN', 10, null],
  ])
})
