import { expect, test } from 'vitest'

import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'

const given = {
  'core.tokens': monies,
  'core.trades': [
    trade('buy', 1, '2026-06-01', { usd: 100, gas_usd: 1 }),
    trade('sell', 2, '2026-06-02', { usd: 150, gas_usd: 2, amount: 50 }),
    trade('sell', 3, '2026-11-19', { usd: 30, amount: 50 }),
    trade('buy', 4, '2026-11-19 01:00:00', { usd: 40, token: 'y' }),
    trade('sell', 5, '2026-11-19 02:00:00', { usd: 41, token: 'y' }),
    trade('sell', 6, '2026-11-20 11:00:00', { usd: 9, token: 'z' }),
    trade('sell', 7, '2026-11-20 11:30:00', { usd: 500, token: 'y', amount: 0, is_self: true }),
  ],
  'staging.transactions': [
    { chain: 'base', block: 8, tx: '0x8', ts: '2026-11-20 11:00:00', sender: '0xa', amount_fee: '2000000000000000' },
    { chain: 'base', block: 5, tx: '0x5', ts: '2026-11-19 02:00:00', sender: '0xa', amount_fee: '7000000000000000' },
  ],
  'core.prices': [{ chain: 'base', token: 'native', ts: '2026-11-20 10:55:00', usd_per_token: 3_000 }],
}

test('each window has the results of its sales, and shows unmatched proceeds and other gas apart', async () => {
  const rows = await run('metrics.wallet_results', given)
  expect(rows.map(({ wallet, chain, range }) => [wallet, chain, range])).toEqual(
    ['30d', '7d', '90d', 'all'].map((range) => ['0xa', 'base', range]),
  )
  const of = (range: string): unknown => rows.find((row) => row['range'] === range)
  // 101 paid for 100 x: 150 - 2 - 50.5 in June and 30 - 50.5 in November; y gains 1.
  expect(of('all')).toMatchObject({
    realized_usd: 0,
    unranked_usd: 78,
    n_closed: 2,
    n_won: 2,
    win_rate: 1,
    n_trades: 7,
    volume_usd: 370,
  })
  expect(of('7d')).toMatchObject({
    realized_usd: 0,
    n_closed: 2,
    n_won: 1,
    win_rate: 0.5,
    n_trades: 5,
    volume_usd: 120,
  })
  expect(of('7d')).toMatchObject({ unranked_usd: -19.5, gas_usd: 6 })
})

test('a wallet that sells more than 5 % from nowhere is incomplete; stables and the coin of the chain do not count', async () => {
  const complete = async (usd: number, token: string): Promise<unknown> => {
    const trades = [trade('buy', 1, '2026-06-01', { usd: 95 }), trade('sell', 2, '2026-06-02', { usd, token })]
    const rows = await run('metrics.wallet_results', { 'core.tokens': monies, 'core.trades': trades })
    return rows[0]?.['is_complete']
  }
  expect(await complete(5, 'z')).toBe(true)
  expect(await complete(5.01, 'z')).toBe(false)
  expect(await complete(50, 'native')).toBe(true)
})
