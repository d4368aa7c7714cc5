import { describe, expect, test } from 'vitest'

import { findChain } from '#registry/chains/find_chain.ts'
import { readHeaders, readTransactions, readWatermark } from '#sources/evm/rpc/blocks.ts'
import { endpointsOf, registryAlone } from '#sources/evm/rpc/endpoints.ts'
import { createRangeSize } from '#sources/evm/rpc/range_size.ts'
import { ChainFault, createRpc } from '#sources/evm/rpc/rpc.ts'
import { safeQuantity } from '#sources/evm/rpc/shapes.ts'

import { blockHash, chainOf, txHash } from './fake_chain.ts'
import { readerOf } from './fake_node.ts'

const chain = chainOf(Array.from({ length: 200 }, (_, n) => n % 3))
const headCall = { method: 'eth_blockNumber', params: [], shape: safeQuantity }

describe('endpoints', () => {
  test('are those of the registry, with one rate for each provider', () => {
    const [first, ...rest] = endpointsOf(findChain('ethereum'), registryAlone)
    expect(first).toMatchObject({ name: 'rpc_ethereum_1', url: 'https://ethereum.reth.rs/rpc', requestsPer10s: 30 })
    expect(rest.map(({ provider }) => provider)).toEqual(['publicnode.com', 'drpc.org', '1rpc.io'])
    expect(endpointsOf(findChain('base'), registryAlone).map(({ provider }) => provider)).toContain('publicnode.com')
  })

  test('are those of the environment, faster, and without a limit on this machine', () => {
    const rpcUrls = { base: ['https://node.example/key', 'http://127.0.0.1:8545'] }
    const found = endpointsOf(findChain('base'), { rpcUrls, rpcWorld: 'seed-7' })
    expect(found).toMatchObject([
      { name: 'rpc_base_1', requestsPer10s: 250, provider: 'node.example', world: 'seed-7' },
      { name: 'rpc_base_2', requestsPer10s: 1_000_000, provider: '127.0.0.1:8545', world: 'seed-7' },
    ])
    expect(endpointsOf(findChain('ethereum'), { rpcUrls, rpcWorld: 'seed-7' })).toEqual([])
  })
})

describe('the failover', () => {
  test('skips a dead endpoint after some failures, and asks it again after a pause', async () => {
    const { rpc, seen, wait } = readerOf(chain, [{ fault: () => '500' }, {}])
    for (let n = 0; n < 10; n++) expect(await rpc.at((node) => node.call(headCall))).toBe(199)
    const n_asked = seen[0]?.length
    for (let n = 0; n < 10; n++) await rpc.at((node) => node.call(headCall))
    expect(seen[0]).toHaveLength(n_asked ?? 0)
    wait(60_000)
    await rpc.at((node) => node.call(headCall))
    expect(seen[0]?.length).toBeGreaterThan(n_asked ?? 0)
  })

  test.each([['another chain', { chainId: 10 }] as const, ['a refused key', { fault: () => '403' }] as const])(
    'does not ask an endpoint for minutes: %s',
    async (_, behaviour) => {
      const { rpc, seen, wait } = readerOf(chain, [behaviour, {}])
      await rpc.at((node) => node.call(headCall))
      wait(300_000)
      await rpc.at((node) => node.call(headCall))
      expect(seen[0]).toHaveLength(1)
    },
  )

  test('takes a reply whose error is null for a result, alone and in a batch', async () => {
    const { rpc } = readerOf(chain, [{ nullError: true }])
    expect(await rpc.at((node) => node.call(headCall))).toBe(199)
    expect([...(await readHeaders(rpc, [10, 11])).keys()]).toEqual([10, 11])
  })

  test('does all calls of a piece of work at one endpoint', async () => {
    const { rpc, seen } = readerOf(chain, [{ lag: 100 }, {}])
    const headers = await readHeaders(rpc, [10, 150])
    expect([...headers.values()].map(({ hash }) => hash)).toEqual([blockHash(10), blockHash(150)])
    expect(seen[1]?.flat().filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(2)
  })

  test('tries again after seconds, and then names the fault of each endpoint', async () => {
    const { rpc, slept } = readerOf(chain, [{ fault: () => 'rate limit' }, { chainId: 137 }])
    await expect(rpc.at((node) => node.call(headCall))).rejects.toThrow(
      /^ethereum: no endpoint answered; rpc_ethereum_1 \(rate limit\): .*; rpc_ethereum_2 \(wrong chain\): .*expected 1/,
    )
    expect(slept).toEqual([2_000, 4_000])
  })

  test('honours the pause that an endpoint asks for', async () => {
    const { rpc, seen, wait } = readerOf(chain, [{ fault: (n) => (n === 1 ? '429 later' : undefined) }, {}])
    await rpc.at((node) => node.call(headCall))
    wait(6_000)
    await rpc.at((node) => node.call(headCall))
    expect(seen[0]).toHaveLength(1)
    wait(2_000)
    await rpc.at((node) => node.call(headCall))
    expect(seen[0]?.length).toBeGreaterThan(1)
  })

  test('of a dead chain stops no other', async () => {
    const dead = readerOf(chain, [{ fault: () => 'down' }])
    const { rpc, memory, hosts } = readerOf(chain, [{}])
    const base = createRpc(findChain('base'), [{ name: 'rpc_base_1' }], dead.get, memory)
    for (let n = 0; n < 5; n++) await expect(base.at((node) => node.call(headCall))).rejects.toThrow(ChainFault)
    expect(await rpc.at((node) => node.call(headCall))).toBe(199)
    expect(memory.stateOf(hosts[0]?.name ?? '').isOfChain).toBe(true)
  })

  test('throws mistakes of the caller', async () => {
    const { rpc, seen } = readerOf(chain, [{}, {}])
    const mistake = rpc.at(async () => Promise.reject(new TypeError('a mistake')))
    await expect(mistake).rejects.toThrow(TypeError)
    expect(seen[1]).toEqual([])
  })

  test('leaves out an endpoint that does not serve a method', async () => {
    const { rpc, memory, hosts } = readerOf(chain, [{ isPoor: true }, {}])
    const call = { method: 'eth_getBlockReceipts', params: ['0x5'], shape: safeQuantity.array() }
    const asked = rpc.at((node) => node.call(call), { method: call.method })
    await expect(asked).rejects.toThrow(ChainFault)
    expect(memory.stateOf(hosts[0]?.name ?? '').without).toEqual(new Set([call.method]))
  })
})

describe('the watermark', () => {
  test('is the head, and the lower of the named final block and the depth of finality', async () => {
    // The fake node names the block 10 below its head; Ethereum is final 65 below.
    expect(await readWatermark(readerOf(chain, [{}]).rpc)).toEqual({ head: 200, final: 135 })
  })

  test('is the depth of finality where a node knows no final block', async () => {
    expect(await readWatermark(readerOf(chain, [{ isPoor: true }]).rpc)).toEqual({ head: 200, final: 135 })
    expect(await readWatermark(readerOf(chain.slice(0, 20), [{ isPoor: true }]).rpc)).toEqual({ head: 20, final: 1 })
  })
})

test('a transaction that no endpoint has is a fault', async () => {
  const { rpc } = readerOf(chain, [{}])
  const wanted = [{ tx: txHash(5, 0), block: 5, block_hash: blockHash(5), log_indexes: [] }]
  await expect(readTransactions(rpc, wanted)).rejects.toThrow(ChainFault)
})

describe('the size of a range', () => {
  test('doubles until the first refusal, then grows slowly', () => {
    const range = createRangeSize()
    range.succeed(500, 10)
    expect(range.size()).toBe(1_000)
    range.fail(1_000)
    expect(range.size()).toBe(500)
    range.succeed(500, 10)
    expect(range.size()).toBe(550)
  })

  test('keeps a named limit, and tries twice of it after many answers', () => {
    const range = createRangeSize()
    range.fail(500, 100)
    for (let n = 0; n < 99; n++) range.succeed(100, 10)
    expect(range.size()).toBe(100)
    range.succeed(100, 10)
    expect(range.size()).toBe(200)
    range.fail(200, 100)
    expect(range.size()).toBe(100)
  })

  test('shrinks where answers are large, and stays where they are short of it', () => {
    const range = createRangeSize()
    range.succeed(500, 20_000)
    expect(range.size()).toBe(250)
    range.succeed(250, 5_000)
    expect(range.size()).toBe(250)
    range.succeed(3, 0)
    expect(range.size()).toBe(250)
  })

  test('is never less than a block, whatever an error names', () => {
    const range = createRangeSize()
    for (const limit of [7, 7, undefined, 1_000, 1]) range.fail(1, limit)
    expect(range.size()).toBe(1)
    range.fail(500, 500)
    expect(range.size()).toBe(250)
  })
})
