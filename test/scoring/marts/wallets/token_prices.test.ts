import { expect, test } from 'vitest'

import { monies, run } from '#test/scoring/core/wallets/run.ts'

test('each token has its last price of a week that is not thin, whether or not a wallet holds it', async () => {
  const rows = await run('marts.token_prices', {
    'core.tokens': [
      ...monies,
      { chain: 'base', token: 'x', kind: 'other', decimals: 2, symbol: 'X' },
      { chain: 'base', token: 'y', kind: 'other', decimals: 0 },
      { chain: 'base', token: 'z', kind: 'other', decimals: 0 },
    ],
    'core.prices': [
      { chain: 'base', token: 'native', ts: '2026-11-19', usd_per_token: 3_000 },
      { chain: 'base', token: 'x', ts: '2026-11-18', usd_per_token: 8 },
      { chain: 'base', token: 'x', ts: '2026-11-19', usd_per_token: 9, is_thin: true },
      { chain: 'base', token: 'x', ts: '2026-11-17', usd_per_token: 7 },
      // A price counts for a day, so this one ended before the last week.
      { chain: 'base', token: 'y', ts: '2026-11-12 11:00:00', usd_per_token: 7 },
      { chain: 'base', token: 'z', ts: '2026-11-12 13:00:00', usd_per_token: 6 },
    ],
  })
  expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
    'base native  18 3000 2026-11-19 00:00:00',
    'base usdc  6 1 ',
    'base x X 2 8 2026-11-18 00:00:00',
    'base z  0 6 2026-11-12 13:00:00',
  ])
})
