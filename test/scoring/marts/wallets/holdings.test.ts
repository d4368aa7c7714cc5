import { expect, test } from 'vitest'

import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'

test('holdings are the last balances, otherwise what is left of the lots, at the last price of a week', async () => {
  const rows = await run('marts.holdings', {
    'core.chains': [{ chain: 'base', wrapped: '0xweth' }],
    'core.tokens': [
      ...monies,
      { chain: 'base', token: 'x', kind: 'other', decimals: 2, symbol: 'X' },
      { chain: 'base', token: 'y', kind: 'other', decimals: 0 },
      { chain: 'base', token: 'z', kind: 'other', decimals: 2, symbol: 'Z' },
      { chain: 'base', token: 'w', kind: 'other', decimals: 3, symbol: 'W' },
    ],
    'core.prices': [
      { chain: 'base', token: 'native', ts: '2026-11-19', usd_per_token: 3_000 },
      { chain: 'base', token: 'x', ts: '2026-11-18', usd_per_token: 8 },
      { chain: 'base', token: 'y', ts: '2026-11-01', usd_per_token: 7 },
      { chain: 'base', token: 'z', ts: '2026-11-19', usd_per_token: 1 },
      { chain: 'base', token: 'w', ts: '2026-11-19', usd_per_token: 1 },
    ],
    'core.trades': [
      trade('buy', 1, '2026-11-17', { usd: 100, amount: 150 }),
      trade('buy', 2, '2026-11-17', { usd: 100, token: 'y' }),
      trade('sell', 3, '2026-11-18', { usd: 10, amount: 50 }),
    ],
    'staging.balances': [
      { chain: 'base', address: '0xa', token: 'native', amount: '1000000000000000000', seen_at: '2026-11-19' },
      { chain: 'base', address: '0xa', token: '0xweth', amount: '500000000000000000', seen_at: '2026-11-20' },
      { chain: 'base', address: '0xa', token: 'z', amount: '1', seen_at: '2026-11-20' },
      { chain: 'base', address: '0xa', token: 'w', amount: '4', seen_at: '2026-11-20' },
    ],
  })
  const shown = rows.map(({ rank, token, contract, amount, amount_raw, usd_value, usd_per_token, seen_at }) =>
    [rank, token, contract, amount, amount_raw, usd_value, usd_per_token, seen_at].join(' '),
  )
  expect(shown).toEqual([
    '1 native native 1.5 1500000000000000000 4500 3000 2026-11-20 00:00:00',
    '2 X x 1 100 8 8 2026-11-18 00:00:00',
    '3 Z z 0.01 1 0.01 1 2026-11-20 00:00:00',
  ])
})
