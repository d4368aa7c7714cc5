import { expect, test } from 'vitest'

import { build } from '#test/scoring/core/chains/lake.ts'

test('a pool, a token and an address are as last described by the clock, otherwise as first described after it', async () => {
  const [before, soon, later] = ['2026-11-19', '2026-11-21', '2026-11-22']
  const found = await build(['staging.pools', 'staging.tokens', 'staging.addresses'], {
    'lake.pools': [
      { chain: 'base', pool: 'p', seen_at: before, tokens: ['a', 'b'], source: 'evm' },
      { chain: 'base', pool: 'p', seen_at: soon, tokens: ['b', 'a'], source: 'evm' },
      { chain: 'base', pool: 'q', seen_at: later, tokens: ['a', 'c'], source: 'evm' },
      { chain: 'base', pool: 'q', seen_at: soon, tokens: ['a', 'd'], source: 'evm' },
    ],
    'lake.tokens': [
      { chain: 'base', token: 't', seen_at: before, symbol: 'OLD', decimals: 6, source: 'evm' },
      { chain: 'base', token: 't', seen_at: '2026-11-20', symbol: 'NEW', decimals: 6, source: 'evm' },
    ],
    'lake.addresses': [{ chain: 'base', address: '0x1', seen_at: soon, kind: 'safe', source: 'evm' }],
  })
  expect(found['staging.pools'].map(({ pool, tokens, is_hindsight }) => [pool, tokens, is_hindsight])).toEqual([
    ['p', ['a', 'b'], false],
    ['q', ['a', 'd'], true],
  ])
  expect(found['staging.tokens'].find(({ token }) => token === 't')).toMatchObject({
    symbol: 'NEW',
    is_hindsight: false,
  })
  expect(found['staging.addresses']).toMatchObject([{ kind: 'safe', is_hindsight: true }])
})

test('the creation of a pool counts if the factory of the pool emitted it', async () => {
  const pool = `0x${'1'.repeat(40)}`
  const id = `0x${'2'.repeat(64)}`
  const claim = (of: string, factory: string, created_at: string) => ({
    chain: 'base',
    pool: of,
    tokens: ['a', 'b'],
    seen_at: created_at,
    factory,
    created_at,
    created_tx: `by ${factory}`,
    source: 'evm',
  })
  const { 'staging.pools': rows } = await build(['staging.pools'], {
    'lake.pools': [
      { chain: 'base', pool, tokens: ['a', 'c'], seen_at: '2026-11-19', factory: 'own', source: 'evm' },
      claim(pool, 'fake', '2026-11-01'),
      claim(pool, 'own', '2026-11-03'),
      claim(pool, 'own', '2026-11-04'),
      claim(`0x${'3'.repeat(40)}`, 'fake', '2026-11-01'),
      claim(id, 'manager', '2026-11-05'),
    ],
  })
  const shown = rows.map(({ pool: of, tokens, created_at, created_tx }) => [of, tokens, created_at, created_tx])
  expect(shown.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
    [pool, ['a', 'c'], '2026-11-03 00:00:00', 'by own'],
    [id, ['a', 'b'], '2026-11-05 00:00:00', 'by manager'],
  ])
})

test('a balance is the last one that was read by the clock, and none later', async () => {
  const balance = (token: string, seen_at: string, amount: string) => ({
    chain: 'base',
    address: '0x1',
    token,
    seen_at,
    amount,
    source: 'live',
  })
  const most = String(2n ** 256n - 1n)
  const { 'staging.balances': rows } = await build(['staging.balances'], {
    'lake.balances': [
      balance('a', '2026-11-18', '5'),
      balance('a', '2026-11-19', most),
      balance('a', '2026-11-21', '7'),
      balance('b', '2026-11-21', '1'),
    ],
  })
  expect(rows.map(({ token, amount }) => `${String(token)} ${String(amount)}`)).toEqual([`a ${most}`])
})
