import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi } from 'viem/utils'
import { expect, test } from 'vitest'

import { findChain } from '#registry/chains/find_chain.ts'
import { deployments } from '#sources/evm/decode/uniswap_v4.ts'
import { faultOf } from '#sources/evm/rpc/fault.ts'
import type { Call } from '#sources/evm/rpc/node.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { contractRows, readContracts } from '#sources/evm/tokens/read_contracts.ts'

const abi = parseAbi([
  'function poolKeys(bytes25 poolId) view returns ((address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks))',
])
const zeroAddress = `0x${'0'.repeat(40)}` as const
const positions = '0x7c5f5a4bbd8fd63184577525326123b519429bdc'
const token = `0x${'ab'.repeat(20)}` as const
const other = `0x${'cd'.repeat(20)}` as const
const hooks = `0x${'0f'.repeat(20)}` as const

/** The words of a key, as the contract returns them, and the id of its pool. */
const keyOf = (currency0: `0x${string}`, currency1: `0x${string}`, tickSpacing: number) => {
  const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }))
  const words = encodeAbiParameters(types, [currency0, currency1, 500, tickSpacing, hooks])
  return { words, pool: keccak256(words) }
}
const known = keyOf(zeroAddress, token, -60)
const pair = keyOf(token, other, 10)
const unknown = `0x${'7'.repeat(64)}` as const
const empty = `0x${'0'.repeat(320)}` as const
const family = 'uniswap_v4'

/** A node whose contract of positions returns an answer for each call, and whose tokens have 9 decimals. */
function nodeOf(slug: string, answers: ReadonlyMap<string, string>) {
  const asked: string[] = []
  const batchEach = async <T>(calls: readonly Call<T>[]) =>
    calls.map(({ params }) => {
      const { to, data } = params[0] as { to: string; data: string }
      asked.push(`${to} ${data}`)
      const found = to === positions ? answers.get(data) : `0x${'9'.padStart(64, '0')}`
      return found ?? faultOf('eth_call', { code: 3, message: 'execution reverted' })
    })
  const at = (work: (node: { batchEach: typeof batchEach }) => unknown) => work({ batchEach })
  const rpc = { chain: { ...findChain(slug), multicall3: null }, at } as unknown as Rpc
  return { rpc, asked }
}

/** The rows of pools without a first swap, so that no creation is searched. */
async function rowsOf(slug: string, rpc: Rpc, pools: readonly string[]) {
  const sought = pools.map((address) => ({ address, family, before: null }))
  const nothing = { isKnown: () => false, findKeys: async () => ({ keys: new Map<string, string>(), n_requests: 0 }) }
  const { contracts } = await readContracts(rpc, sought, nothing)
  return contractRows(slug, contracts, 7)
}

const callFor = (pool: `0x${string}`): string =>
  encodeFunctionData({ abi, functionName: 'poolKeys', args: [pool.slice(0, 52) as `0x${string}`] })

test('a pool whose creation was not read has the tokens of its key, and its tokens are read too', async () => {
  const { rpc } = nodeOf('base', new Map([known, pair].map(({ words, pool }) => [callFor(pool), words])))
  const { pools, tokens } = await rowsOf('base', rpc, [known.pool, pair.pool])
  const row = { chain: 'base', seen_at: 7, family, created_at: null, created_tx: null }
  const factory = '0x498581ff718922c3f8e6a244956af099b2652b2b'
  expect(pools).toEqual([
    { ...row, pool: known.pool, tokens: ['native', token], factory },
    { ...row, pool: pair.pool, tokens: [token, other], factory },
  ])
  expect(tokens).toMatchObject([
    { token, decimals: 9 },
    { token: other, decimals: 9 },
  ])
})

test('a key of another pool, an unknown pool and a refusal name no tokens', async () => {
  const lies = new Map([
    [callFor(known.pool), pair.words],
    [callFor(unknown), empty],
  ])
  const { rpc } = nodeOf('base', lies)
  expect(await rowsOf('base', rpc, [known.pool, unknown, pair.pool])).toEqual({ pools: [], tokens: [] })
})

test('every deployment is of a chain of the registry, and has the form of addresses and blocks', () => {
  expect(Object.keys(deployments)).toEqual(
    expect.arrayContaining(['worldchain', 'blast', 'zora', 'ink', 'soneium', 'avalanche']),
  )
  for (const [slug, { manager, positions, first_block }] of Object.entries(deployments)) {
    expect(findChain(slug)).toMatchObject({ slug, kind: 'evm' })
    for (const address of [manager, positions]) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
    expect(positions).not.toBe(manager)
    expect(Number.isSafeInteger(first_block) && first_block >= 0).toBe(true)
  }
})

test('on a chain without a known deployment nothing is asked', async () => {
  const { rpc, asked } = nodeOf('gnosis', new Map())
  expect(await rowsOf('gnosis', rpc, [known.pool])).toEqual({ pools: [], tokens: [] })
  expect(asked).toEqual([])
})
