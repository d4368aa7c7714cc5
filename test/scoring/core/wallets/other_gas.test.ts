import { expect, test } from 'vitest'

import { run } from './run.ts'

test('the gas of a transaction without a trade has the price of the coin of the last day, or none', async () => {
  const sent = (tx: string, ts: string) => ({
    chain: 'base',
    block: 1,
    tx,
    ts,
    sender: '0xa',
    is_ok: false,
    amount_fee: '2000000000000000',
  })
  const rows = await run('core.other_gas', {
    'core.tokens': [{ chain: 'base', token: 'native', kind: 'native', decimals: 18 }],
    'core.prices': [{ chain: 'base', token: 'native', ts: '2026-06-02 10:55:00', usd_per_token: 3_000 }],
    'core.trades': [{ wallet: '0xa', chain: 'base', block: 1, tx: '0xtrade', token_sold: 'a', token_bought: 'b' }],
    'staging.transactions': [
      sent('0xtrade', '2026-06-02 11:00:00'),
      sent('0x1', '2026-06-02 10:54:59'),
      sent('0x2', '2026-06-03 10:54:59'),
      sent('0x3', '2026-06-03 10:55:00'),
    ],
  })
  expect(rows.map(({ tx, is_ok, gas_usd }) => [tx, is_ok, gas_usd])).toEqual([
    ['0x1', false, null],
    ['0x2', false, 6],
    ['0x3', false, null],
  ])
})
