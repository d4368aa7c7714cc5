import fc from 'fast-check'
import { expect, test } from 'vitest'

import { isBatch, toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { rawTransaction, type RawBlock } from '#sources/evm/blocks/raw_block.ts'
import { openUnitRows } from '#sources/evm/blocks/unit_rows.ts'
import { decoders } from '#sources/evm/decode/decode_log.ts'
import { receiptShape, transactionShape } from '#sources/evm/rpc/shapes.ts'
import { someLog } from '#test/sources/evm/decode/abi.ts'

const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`
const quantity = fc.bigInt(0n, 2n ** 70n).map((value) => `0x${value.toString(16)}`)
const maybe = fc.option(quantity, { nil: undefined })
const someAddress = `0x${'1'.repeat(40)}`
const first = 100

/** The settlement of CoW, of which a malformed log is rejected. */
const known = '0x9008d19f58aabd9ed0d60971565aa8510560ab41'
const settled = {
  address: known,
  topics: ['0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17'],
  data: '0x',
}
const anyLog = fc.oneof(
  ...decoders.map(({ event }) => someLog(event).map(({ log }) => log)),
  fc.constant({ ...settled, topics: [...settled.topics, hashOf(1)] }),
)

const sent = fc.record({
  value: quantity,
  nonce: fc.option(fc.oneof(quantity, fc.constant('0x7')), { nil: undefined }),
  gasPrice: maybe,
  status: fc.constantFrom('0x0', '0x1', undefined),
  gasUsed: fc.nat().map((value) => `0x${value.toString(16)}`),
  effectiveGasPrice: maybe,
  l1Fee: maybe,
  logs: fc.array(anyLog, { maxLength: 4 }),
})

/** Blocks with transactions of any fields, as an endpoint gives them. Some blocks share their second. */
const someBlocks = fc.array(fc.array(sent, { maxLength: 3 }), { minLength: 1, maxLength: 4 }).map((all) =>
  all.map((transactions, n): RawBlock => {
    const place = { blockHash: hashOf(first + n), blockNumber: `0x${(first + n).toString(16)}` }
    const mined = transactions.map(({ logs, value, nonce, gasPrice, ...of }, tx_index) => {
      const tx = hashOf(1_000 * (n + 1) + tx_index)
      const transactionIndex = `0x${tx_index.toString(16)}`
      const receipt = {
        ...place,
        ...of,
        transactionHash: tx,
        transactionIndex,
        logs: logs.map((log, k) => ({
          ...log,
          ...place,
          transactionHash: tx,
          transactionIndex,
          logIndex: `0x${(10 * tx_index + k).toString(16)}`,
        })),
      }
      const transaction = { ...place, hash: tx, from: someAddress, to: someAddress, value, nonce, gasPrice }
      return rawTransaction({ transaction: transactionShape.parse(transaction), receipt: receiptShape.parse(receipt) })
    })
    const [hash, parent_hash] = [hashOf(first + n), hashOf(first + n - 1)]
    return { block: first + n, hash, parent_hash, time_s: 1_700_000_000 + (n >> 1), transactions: mined, logs: [] }
  }),
)

type Rows = readonly Record<string, unknown>[]
const byPlace = (rows: Rows): Rows =>
  rows.toSorted((a, b) => Number(a['block']) - Number(b['block']) || Number(a['log_index']) - Number(b['log_index']))

/** The result of some blocks, with its rows in the order of their places. */
function resultOf(blocks: readonly RawBlock[]) {
  const collected = openUnitRows(findChain('ethereum'), first + blocks.length)
  for (const block of blocks) collected.add(block)
  const { rows, ...rest } = collected.result({ final: first, is_whole: false })
  const plain = Object.entries(rows).map(([name, of]) => [name, byPlace(isBatch(of) ? toRows(of) : of)])
  const { pools, ...others } = Object.fromEntries(plain) as Record<string, Rows>
  return { ...rest, ...others, pools: new Set(pools) }
}

test('a block gives the rows of its kept text, and the order of blocks changes nothing', () => {
  fc.assert(
    fc.property(
      someBlocks.chain((blocks) =>
        fc.tuple(fc.constant(blocks), fc.shuffledSubarray(blocks, { minLength: blocks.length })),
      ),
      ([blocks, shuffled]) => {
        const kept = blocks.map((block) => JSON.parse(JSON.stringify(block)) as RawBlock)
        expect(resultOf(shuffled)).toEqual(resultOf(kept))
      },
    ),
  )
})

test('rejected rows and creations are among those that are compared', () => {
  const results = fc.sample(someBlocks, { numRuns: 300, seed: 1 }).map(resultOf)
  expect(results.filter(({ rejected }) => rejected.length > 1).length).toBeGreaterThan(10)
  expect(results.filter(({ pools }) => pools.size > 0).length).toBeGreaterThan(10)
})
