import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const at = (block: number, tx: string, chain = 'base') => ({ source: 'evm_swaps', chain, block, tx })

test('of the places of a transaction near a unit that is not closed, the earliest counts', async () => {
  const rows = await run('staging.moved_transactions', {
    'lake.coverage': [
      { dataset: 'transactions', state: 'head', source: 'evm_swaps', part: 'base', from_block: 5_000 },
      { dataset: 'transactions', state: 'done', source: 'evm_swaps', part: 'base', from_block: 1_000 },
      { dataset: 'swaps', state: 'head', source: 'evm_swaps', part: 'arbitrum', from_block: 1 },
    ],
    'lake.transactions': [
      at(4_990, '0xmoved'),
      at(5_003, '0xmoved'),
      at(5_001, '0xstill'),
      // Blocks before these are closed, where a chain holds a transaction once.
      at(2_000, '0xold'),
      at(2_001, '0xold'),
      // No unit of this chain is open.
      at(4_990, '0xmoved', 'arbitrum'),
      at(5_003, '0xmoved', 'arbitrum'),
    ],
  })
  expect(cut(rows, 'chain', 'block', 'tx')).toEqual([['base', 5_003, '0xmoved']])
})
