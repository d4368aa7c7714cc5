import { encodeAbiParameters, keccak256, padHex, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'

import { toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'
import { knownEmitters } from '#sources/evm/decode/decode_log.ts'

const manager = '0x498581ff718922c3f8e6a244956af099b2652b2b'
const stranger = `0x${'7'.repeat(40)}`
const placeAt = (log_index: number) => ({
  chain: 'base',
  block: 5,
  tx_index: 0,
  tx: `0x${'ab'.repeat(32)}`,
  log_index,
  ts: 1_790_000_000_000_000,
})

/** The creation of a pool of Uniswap V4. Its id is that of its tokens, unless it is forged. */
function creation(address: string, { second, id }: { second: Hex; id?: Hex }) {
  const [first, hooks] = [padHex('0x0', { size: 20 }), padHex('0x0', { size: 20 })]
  const types = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }, { type: 'int24' }, { type: 'address' }]
  const own = keccak256(encodeAbiParameters(types, [first, second, 3_000, -60, hooks]))
  const plain = ['uint24', 'int24', 'address', 'uint160', 'int24'].map((type) => ({ type }))
  return {
    id: own,
    log: {
      address,
      topics: [
        '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
        id ?? own,
        padHex(first, { size: 32 }),
        padHex(second, { size: 32 }),
      ],
      data: encodeAbiParameters(plain, [3_000, -60, hooks, 1n << 96n, 0]),
    },
  }
}

describe('the creation of a pool', () => {
  const dollar: Hex = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'

  test('counts once in a block for each contract that emits it', () => {
    const collection = openSwapBatch(new Set())
    for (const [n, address] of [manager, stranger, manager].entries())
      collection.addLog(creation(address, { second: dollar }).log, placeAt(n))
    expect(toRows(collection.rows().pools)).toMatchObject([
      { pool: creation(manager, { second: dollar }).id, tokens: ['native', dollar], factory: manager },
      { pool: creation(manager, { second: dollar }).id, tokens: ['native', dollar], factory: stranger },
    ])
  })

  test('with other tokens than its id has is none', () => {
    const { id } = creation(manager, { second: dollar })
    const collection = openSwapBatch(new Set())
    collection.addLog(creation(stranger, { second: `0x${'9'.repeat(40)}`, id }).log, placeAt(0))
    expect(toRows(collection.rows().pools)).toEqual([])
  })
})

describe('a log of a known topic with other data', () => {
  const malformed = (address: string) => ({
    address,
    topics: ['0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'],
    data: '0x',
  })

  test('is no event if any contract emits it, and is counted', () => {
    const collection = openSwapBatch(knownEmitters(findChain('base')))
    for (let n = 0; n < 1_000; n++) collection.addLog(malformed(stranger), placeAt(n))
    expect(collection.rejected).toEqual([])
    expect(collection.n_ignored()).toBe(1_000)
  })

  test('is rejected if its contract is known to emit it in another form', () => {
    const collection = openSwapBatch(knownEmitters(findChain('base')))
    collection.addLog(malformed(manager), placeAt(0))
    expect(collection.rejected).toMatchObject([{ dataset: 'swaps', reason: '1 topics; expected 3' }])
    expect(collection.n_ignored()).toBe(0)
  })
})

test('a swap names its emitter, if that is not the pool itself', () => {
  const collection = openSwapBatch(new Set())
  const words = [-1n, 1n, 1n << 96n, 1n, 0n, 0n].map((word) => BigInt.asUintN(256, word).toString(16).padStart(64, '0'))
  const data = `0x${words.join('')}`
  const party = padHex(stranger as Hex, { size: 32 })
  const topic3 = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
  const topic4 = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f'
  collection.addLog({ address: stranger, topics: [topic3, party, party], data }, placeAt(0))
  collection.addLog({ address: manager, topics: [topic4, `0x${'c'.repeat(64)}`, party], data }, placeAt(1))
  expect(toRows(collection.rows().swaps).map(({ pool, emitter }) => [pool, emitter])).toEqual([
    [stranger, null],
    [`0x${'c'.repeat(64)}`, manager],
  ])
})
