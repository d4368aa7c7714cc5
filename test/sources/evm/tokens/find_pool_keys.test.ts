import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'
import { z } from 'zod'

import { findChain } from '#registry/chains/find_chain.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Call } from '#sources/evm/rpc/node.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'
import { createKeySearch } from '#sources/evm/tokens/find_pool_keys.ts'

const manager = '0x498581ff718922c3f8e6a244956af099b2652b2b'
const firstBlock = 25_350_988
const abi = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
])
const hooks = `0x${'0f'.repeat(20)}` as const
const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const

/** A pool of the tokens n and n + 1, and the log of its creation. */
function createdAt(block: number, n: number) {
  const typesOf = (names: string) => names.split(' ').map((type) => ({ type }))
  const [currency0, currency1] = [addressOf(n), addressOf(n + 1)]
  const words = encodeAbiParameters(typesOf('address address uint24 int24 address'), [
    currency0,
    currency1,
    500,
    -60,
    hooks,
  ])
  const pool = keccak256(words)
  const topics = encodeEventTopics({ abi, args: { id: pool, currency0, currency1 } })
  const types = typesOf('uint24 int24 address uint160 int24')
  const data = encodeAbiParameters(types, [500, -60, hooks, 1n << 96n, 0])
  const place = { blockNumber: `0x${block.toString(16)}`, blockHash: pool, transactionHash: pool }
  const log = { address: manager, topics, data, ...place, transactionIndex: '0x0', logIndex: '0x0', removed: false }
  return { pool, words: words.slice(2), block, log }
}
type Created = ReturnType<typeof createdAt>

const filterShape = z.object({
  fromBlock: z.coerce.number(),
  toBlock: z.coerce.number(),
  address: z.literal(manager),
  topics: z.tuple([z.array(z.string()), z.array(z.string())]),
})

/** A node that has creations, and accepts ranges of so many blocks. It names the limit or does not. */
function nodeOf(created: readonly Created[], most = Infinity, isNamed = true) {
  const asked: { from: number; to: number }[] = []
  const call = async <T>({ params, shape }: Call<T>): Promise<T> => {
    const { fromBlock: from, toBlock: to, topics } = filterShape.parse(params[0])
    asked.push({ from, to })
    if (to - from + 1 > most) throw new RpcFault('range', 'too wide', isNamed ? { limit: most } : {})
    const isAsked = ({ block, pool }: Created) => block >= from && block <= to && topics[1].includes(pool)
    return shape.parse(created.filter(isAsked).map(({ log }) => log))
  }
  const at = (work: (node: unknown) => unknown) => work({ name: 'node', call })
  return { rpc: { chain: findChain('base'), at } as unknown as Rpc, asked }
}

const [old, recent] = [createdAt(firstBlock + 10, 1), createdAt(40_000_000, 3)]
const before = 40_500_000
const soughtOf = (...created: readonly Created[]) => created.map(({ pool }) => ({ pool, before }))

test('a node without limits gives all keys in one request', async () => {
  const { rpc, asked } = nodeOf([old, recent])
  const found = await createKeySearch()(rpc, soughtOf(old, recent))
  expect(found).toEqual({ keys: new Map([recent, old].map(({ pool, words }) => [pool, words])), n_requests: 1 })
  expect(asked).toEqual([{ from: firstBlock, to: before - 1 }])
})

test.each([
  ['that it names', true],
  ['that it does not name', false],
])('a range shrinks to a limit %s, and the search ends where the pools are found', async (_, isNamed) => {
  const near = createdAt(before - 150_000, 5)
  const { rpc, asked } = nodeOf([near], 200_000, isNamed)
  const found = await createKeySearch()(rpc, soughtOf(near))
  expect(found).toEqual({ keys: new Map([[near.pool, near.words]]), n_requests: asked.length })
  const accepted = asked.filter(({ from, to }) => to - from < 200_000)
  // The ranges that are accepted lie side by side, down to the creation.
  expect(accepted.map(({ to }) => to + 1)).toEqual([before, ...accepted.slice(0, -1).map(({ from }) => from)])
  expect(accepted.at(-1)?.from).toBeLessThanOrEqual(near.block)
  expect(accepted.at(-1)?.to).toBeGreaterThanOrEqual(near.block)
})

test('a search stops after 100 requests with its reason, and the next one continues below', async () => {
  const { rpc, asked } = nodeOf([recent], 4_000)
  const find = createKeySearch()
  const first = await find(rpc, soughtOf(recent))
  const end = before - 99 * 4_000
  expect(first).toEqual({
    keys: new Map(),
    n_requests: 100,
    reason: `the endpoints refuse larger ranges, so 100 requests came to block ${end}`,
  })
  const second = await find(rpc, soughtOf(recent))
  expect(second.keys).toEqual(new Map([[recent.pool, recent.words]]))
  expect(asked[100]).toEqual({ from: end - 4_000, to: end - 1 })
  expect(second.n_requests).toBe(26)
})

test('a key that was found is no request again', async () => {
  const { rpc, asked } = nodeOf([old])
  const find = createKeySearch()
  const { keys } = await find(rpc, soughtOf(old))
  expect(await find(rpc, soughtOf(old))).toEqual({ keys, n_requests: 0 })
  expect(asked).toHaveLength(1)
})

test('a pool without a creation is searched once', async () => {
  const { rpc, asked } = nodeOf([])
  const find = createKeySearch()
  for (let n = 0; n < 3; n++) expect((await find(rpc, soughtOf(old))).keys.size).toBe(0)
  expect(asked).toHaveLength(1)
})

test('a log with other tokens for the id is no key', async () => {
  const forged = { ...old, log: { ...old.log, topics: [...old.log.topics.slice(0, 3), recent.log.topics[3] ?? null] } }
  const { rpc } = nodeOf([forged as Created])
  expect((await createKeySearch()(rpc, soughtOf(old))).keys.size).toBe(0)
})

test('a chain whose endpoints fail gives the reason in place of keys', async () => {
  const fault = new ChainFault('base', new Map([['node', new RpcFault('history', 'pruned')]]))
  const rpc = { chain: findChain('base'), at: async () => Promise.reject(fault) } as unknown as Rpc
  const found = await createKeySearch()(rpc, soughtOf(old))
  expect(found).toEqual({ keys: new Map(), n_requests: 0, reason: expect.stringContaining('node (history): pruned') })
})
