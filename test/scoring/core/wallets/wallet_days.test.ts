import { expect, test } from 'vitest'

import { monies, run, trade } from './run.ts'

const given = {
  'core.tokens': monies,
  'core.trades': [
    trade('buy', 1, '2026-06-01 23:59:59.999999', { usd: 100, gas_usd: 1 }),
    trade('sell', 2, '2026-06-02', { usd: 150, gas_usd: 2, amount: 150 }),
  ],
  'staging.transactions': [
    { chain: 'base', block: 8, tx: '0x8', ts: '2026-06-02 11:00:00', sender: '0xa', amount_fee: '2000000000000000' },
  ],
  'core.prices': [
    { chain: 'base', token: 'native', ts: '2026-06-02 10:55:00', usd_per_token: 3_000 },
    { chain: 'base', token: 'x', ts: '2026-06-02', n_pools: 2, depth_usd: 100, is_thin: false },
  ],
}

test('a day has the purchases, sales, matched results and gas of each token', async () => {
  const rows = await run('core.wallet_days', given)
  const shown = rows.map(
    ({ day, token, n_buys, n_sells, n_matched, realized_usd, unranked_usd, unmatched_usd, gas_usd }) =>
      [day, token, n_buys, n_sells, n_matched, realized_usd, unranked_usd, unmatched_usd, gas_usd].join(' '),
  )
  expect(shown.sort()).toEqual([
    // The purchase pays a stable that came from nowhere; its gas is in the cost of x.
    '2026-06-01 usdc 0 1 0 0 0 100 0',
    '2026-06-01 x 1 0 0 0 0 0 1',
    '2026-06-02  0 0 0 0 0 0 6',
    '2026-06-02 usdc 1 0 0 0 0 0 0',
    // Two thirds of 150 less 2 against 101; the last third was never bought.
    '2026-06-02 x 0 1 1 -2.333333 0 49.333333 2',
  ])
})

test('a result in an illiquid or thin token is not ranked', async () => {
  const prices = [{ chain: 'base', token: 'x', ts: '2026-06-02', n_pools: 2, depth_usd: 99, is_thin: false }]
  const rows = await run('core.wallet_days', { ...given, 'core.prices': prices })
  expect(rows.find(({ day, token }) => day === '2026-06-02' && token === 'x')).toMatchObject({
    realized_usd: 0,
    unranked_usd: -2.333333,
  })
})
