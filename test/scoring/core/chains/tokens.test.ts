import { expect, test } from 'vitest'

import { build } from './lake.ts'

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
      { chain: 'base', pool: '0xpair', tokens: ['weth', 'a'], created_at: '2026-11-02', source: 'evm' },
      { chain: 'base', pool: '0xother', tokens: ['a', 'silent'], created_at: '2026-11-01', source: 'evm' },
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
