import { expect, test } from 'vitest'

import { chainStates, describeChains } from '#bin/report/chain_states.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newLake, storeRows } from '#test/lake/fixture.ts'

test('status names each chain that is read or stored, since when, and what has no price on it', async () => {
  const lake = await newLake()
  expect(describeChains(await chainStates(lake, new Set()))).toEqual([
    'chains    none is read; TAPELINE_CHAINS names those to read',
  ])
  const block = { is_exact: true, hash: '0x1', parent_block: 0, parent_hash: '0x0' }
  const unit: Unit = { source: 'evm_swaps', kind: 'blocks', part: 'base', key: '', from: 0, to: 2, params: [] }
  await storeRows(lake, unit, {
    blocks: [
      { ...block, chain: 'base', block: 1, ts: 1_790_000_002_000_000 },
      { ...block, chain: 'base', block: 0, ts: 1_790_000_000_000_000 },
    ],
  })
  const states = await chainStates(lake, new Set(['ethereum', 'expanse-network']))
  expect(states.map(({ chain, is_read, since }) => [chain, is_read, since])).toEqual([
    ['base', false, '2026-09-21T14:13:20.000Z'],
    ['ethereum', true, null],
    ['expanse-network', true, null],
  ])
  expect(describeChains(states)).toEqual([
    'chain     base, since 2026-09-21T14:13:20.000Z; not read by these settings',
    'chain     ethereum, no block stored yet',
    'chain     expanse-network, no block stored yet; not priced: all tokens: no dollar of the chain is in the registry',
  ])
})
