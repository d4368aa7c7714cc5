import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('a wallet has the owner of its first log up to the clock', async () => {
  const rows = await run('staging.wallet_owners', {
    'lake.wallet_owners': [
      { wallet: 'safe', ts: '2026-01-03', tx: '0x1', owner: 'late' },
      { wallet: 'safe', ts: '2026-01-02', tx: '0x3', owner: 'ann' },
      { wallet: 'safe', ts: '2026-01-02', tx: '0x4', owner: 'zoe' },
      { wallet: 'proxy', ts: '2027-01-01', tx: '0x1', owner: 'bob' },
    ],
  })
  expect(cut(rows, 'wallet', 'owner')).toEqual([['safe', 'ann']])
})
