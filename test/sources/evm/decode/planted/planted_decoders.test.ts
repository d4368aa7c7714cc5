import { encodeAbiParameters, encodeEventTopics, toFunctionSelector, type Hex } from 'viem'
import { expect, test } from 'vitest'

import { toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'
import { decoders, emittersOf, viewsOf } from '#sources/evm/decode/decode_log.ts'
import { compile, loadDecoder } from '#sources/evm/decode/event/compile.ts'
import { abiOf } from '#test/sources/evm/decode/abi.ts'

import { plantedPool } from './planted_pool.ts'
import { plantedRouter } from './planted_router.ts'

const all = [...decoders, ...plantedRouter, ...plantedPool]
const base = findChain('base')

const [user, pool, factory] = ['1', '2', '3'].map((digit): Hex => `0x${digit.repeat(40)}`) as [Hex, Hex, Hex]
const [first, second] = ['a', 'b'].map((digit): Hex => `0x${digit.repeat(40)}`) as [Hex, Hex]
const router = '0x00000000000000000000000000000000000000aa'
const none = `0x${'e'.repeat(40)}` as const

/** A log of the n-th event of a protocol, as another library encodes it. */
function logOf(event: string | undefined, address: string, args: Record<string, unknown>, log_index: number) {
  const abi = abiOf(event ?? '')
  const plain = abi.inputs.filter(({ indexed }) => indexed !== true)
  const values = plain.map(({ name }) => args[name ?? ''])
  const topics = encodeEventTopics({ abi: [abi], eventName: abi.name, args })
  return { address, topics, data: encodeAbiParameters(plain, values), logIndex: `0x${log_index}` }
}

test('the rows of a transaction have the swaps of planted protocols, by named tokens and by a pool', () => {
  const batch = openSwapBatch(emittersOf(all, base), compile(all.map(loadDecoder)))
  const routed = { user, tokenIn: first, amountIn: 7n, tokenOut: none, amountOut: 9n, route: '0x1234' }
  const logs = [
    logOf(plantedRouter[0]?.event, router, routed, 0),
    logOf(plantedPool[0]?.event, pool, { isFirst: false, amountIn: 5n, amountOut: 3n, to: user }, 1),
    logOf(plantedPool[1]?.event, factory, { token0: first, token1: second, pool }, 2),
    // The contract of the router is known to emit its event in full.
    { ...logOf(plantedRouter[0]?.event, router, routed, 3), data: '0x' },
  ]
  const hash = `0x${'c'.repeat(64)}`
  const transaction = { hash, from: user, to: router, value: '0x0' }
  const receipt = { transactionHash: hash, blockNumber: '0x64', transactionIndex: '0x0', gasUsed: '0x1', logs }
  batch.addTransaction({ chain: base.slug, ts: 7 }, { transaction, receipt })
  const { swaps, pools } = batch.rows()
  expect(toRows(swaps)).toMatchObject([
    {
      family: 'planted_router',
      pool: null,
      emitter: router,
      trader: user,
      token0: first,
      amount0: 7n,
      token1: 'native',
      amount1: -9n,
    },
    {
      family: 'planted_pool',
      pool,
      emitter: null,
      recipient: user,
      token0: null,
      coin0_index: 0,
      amount0: -3n,
      coin1_index: 1,
      amount1: 5n,
    },
  ])
  expect(toRows(pools)).toMatchObject([
    { pool, family: 'planted_pool', tokens: [first, second], factory, created_at: 7 },
  ])
  expect(batch.rejected).toMatchObject([{ dataset: 'swaps', reason: '0 bytes; expected 160' }])
})

test('the views of a planted pool are those that its tokens are asked by', () => {
  expect(viewsOf(all)['planted_pool']).toEqual([['coinA()', 'coinB()'].map(toFunctionSelector)])
  expect(viewsOf(all)['planted_router']).toBeUndefined()
})
