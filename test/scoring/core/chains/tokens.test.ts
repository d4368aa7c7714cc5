import { expect, test } from 'vitest'

import { build } from './lake.ts'

/** A pool of a factory: its description, and the event of its creation. */
const createdPool = (pool: string, tokens: string[], created_at: string) => [
  { chain: 'base', pool, tokens, seen_at: '2026-11-10', factory: 'f', source: 'evm' },
  { chain: 'base', pool, tokens, seen_at: created_at, factory: 'f', created_at, created_tx: 'new', source: 'evm' },
]

test('tokens are the money of a chain that was read, and what has decimals or is the share of a pool', async () => {
  const { 'core.tokens': rows } = await build(['core.tokens'], {
    'core.chains': [
      { chain: 'gnosis', native_symbol: 'XDAI', native_decimals: 18, wrapped: 'wxdai', stables: ['wxdai'] },
    ],
    'lake.tokens': [
      { chain: 'base', token: 'vault', decimals: 18, standard: 'erc4626', source: 'evm' },
      { chain: 'base', token: 'mute', decimals: null, source: 'evm' },
    ],
    'lake.pools': [
      ...createdPool('0xpair', ['weth', 'a'], '2026-11-02'),
      ...createdPool('0xother', ['a', 'silent'], '2026-11-01'),
    ],
  })
  expect(rows.map(({ token, kind, decimals, is_listed }) => [token, kind, decimals, is_listed].join(' '))).toEqual([
    '0xother lp 18 false',
    '0xpair lp 18 false',
    'a other 18 false',
    'b other 0 false',
    'dai stable 18 true',
    'native native 18 true',
    'usdc stable 6 true',
    'vault receipt 18 false',
  ])
  expect(rows.find(({ token }) => token === 'a')?.['first_pool_at']).toBe('2026-11-01 00:00:00')
  expect(rows.find(({ token }) => token === 'native')).toMatchObject({
    symbol: 'ETH',
    first_pool_at: '2026-11-02 00:00:00',
  })
})

test('the first pool of a token is unknown if the token traded before it', async () => {
  const swap = (pool: string, ts: string) => ({
    chain: 'base',
    block: 5,
    tx: ts,
    tx_index: 0,
    log_index: 0,
    pool,
    ts,
    source: 'evm',
  })
  const { 'core.tokens': rows } = await build(['core.tokens'], {
    'lake.tokens': ['old', 'new'].map((token) => ({ chain: 'base', token, decimals: 18, source: 'evm' })),
    'lake.pools': [
      { chain: 'base', pool: '0x1', tokens: ['weth', 'old'], seen_at: '2026-11-10', source: 'evm' },
      ...createdPool('0x2', ['weth', 'old'], '2026-11-05'),
      ...createdPool('0x3', ['weth', 'new'], '2026-11-05'),
    ],
    'lake.swaps': [swap('0x1', '2026-11-04'), swap('0x3', '2026-11-06')],
  })
  const firstPool = (of: string) => rows.find(({ token }) => token === of)?.['first_pool_at']
  expect([firstPool('old'), firstPool('new')]).toEqual([null, '2026-11-05 00:00:00'])
})

test('the coin of a chain whose wrapped coin is worth a dollar is a stable', async () => {
  const { 'core.tokens': rows } = await build(['core.tokens'], {
    'core.chains': [
      { chain: 'gnosis', native_symbol: 'XDAI', native_decimals: 18, wrapped: 'wxdai', stables: ['wxdai'] },
    ],
    'lake.coverage': [
      { dataset: 'swaps', unit: 'g', part: 'gnosis', state: 'done', from_block: 0, to_block: 9, source: 'evm' },
    ],
  })
  expect(rows.filter(({ chain }) => chain === 'gnosis')).toMatchObject([
    { token: 'native', kind: 'stable', symbol: 'XDAI' },
  ])
})

test('a dollar without a symbol of its contract has that of the registry', async () => {
  const { 'core.tokens': rows } = await build(['core.tokens'], {
    'core.chains': [
      {
        chain: 'gnosis',
        native_symbol: 'XDAI',
        native_decimals: 18,
        wrapped: 'wxdai',
        stables: ['mute', 'usdc'],
        stable_symbols: ['MUTE', 'USDC'],
      },
    ],
    'lake.tokens': [
      { chain: 'gnosis', token: 'mute', decimals: 6, source: 'evm' },
      { chain: 'gnosis', token: 'usdc', symbol: 'USDC.e', decimals: 6, source: 'evm' },
    ],
    'lake.coverage': [
      { dataset: 'swaps', unit: 'g', part: 'gnosis', state: 'done', from_block: 0, to_block: 9, source: 'evm' },
    ],
  })
  expect(
    rows
      .filter(({ chain, kind }) => chain === 'gnosis' && kind === 'stable')
      .map(({ token, symbol }) => [token, symbol]),
  ).toEqual([
    ['mute', 'MUTE'],
    ['usdc', 'USDC.e'],
  ])
})

test('an owner is known where an address has one owner on all chains', async () => {
  const { 'core.owners': rows } = await build(['core.owners'], {
    'lake.addresses': [
      { chain: 'base', address: 'safe', owner: 'ann', kind: 'safe', source: 'evm' },
      { chain: 'gnosis', address: 'safe', owner: 'ann', kind: 'safe', source: 'evm' },
      { chain: 'base', address: 'odd', owner: 'ann', kind: 'safe', source: 'evm' },
      { chain: 'gnosis', address: 'odd', owner: 'bob', kind: 'safe', source: 'evm' },
      { chain: 'base', address: 'cem', owner: 'cem', source: 'evm' },
      { chain: 'base', address: 'dia', owner: null, source: 'evm' },
    ],
  })
  expect(rows).toEqual([{ address: 'safe', owner: 'ann', reason: 'safe' }])
})
