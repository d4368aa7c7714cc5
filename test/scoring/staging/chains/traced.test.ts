import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const call = (tx: string, call_index: number, ts = '2026-01-01 00:00:00') => ({
  source: 'evm_traces',
  chain: 'base',
  block: 7,
  tx,
  call_index,
  ts,
  seen_at: ts,
})

test('a transaction is traced once it has a call, also one without an amount, and is named once', async () => {
  const rows = await run('staging.traced', {
    'core.clock': [{ as_of: '2026-02-01 00:00:00' }],
    'lake.calls': [call('0xa', 0), call('0xa', 1), call('0xb', 0), call('0xlater', 0, '2026-03-01 00:00:00')],
  })
  expect(cut(rows, 'chain', 'block', 'tx')).toEqual([
    ['base', 7, '0xa'],
    ['base', 7, '0xb'],
  ])
})
