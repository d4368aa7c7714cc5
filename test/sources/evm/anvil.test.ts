import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { createHttp } from '#ingest/http/http.ts'
import type { Get } from '#ingest/http/request.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { readHeaders, readTransactions, readWatermark, receiptsOf } from '#sources/evm/rpc/blocks.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { readLogs } from '#sources/evm/rpc/logs.ts'
import { probeEndpoint } from '#sources/evm/rpc/probe_endpoint.ts'
import { proofOf } from '#sources/evm/rpc/proof.ts'
import { receiptsRootOf } from '#sources/evm/rpc/receipts_root.ts'
import { createRpc } from '#sources/evm/rpc/rpc.ts'
import { anvil, emitter, sender, startAnvil, type Anvil, type Emission } from '#test/run/anvil.ts'

import { fill, hashOf, other, swap, wanted } from './rpc/fake_chain.ts'
import { readProved } from './rpc/proved_logs.ts'

const ethereum = findChain('ethereum')
const timers = {
  now_ms: Date.now,
  sleep: async (ms: number, signal?: AbortSignal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
}

/** The reader of a node. `before` is called before each request, with its body. */
function readerOf({ url }: Anvil, before: (body: string) => Promise<void> = async () => {}) {
  const hosts = endpointsOf(ethereum, { rpcUrls: { ethereum: [url] }, rpcWorld: 'real' })
  const http = createHttp({
    hosts: Object.fromEntries(hosts.map((host) => [host.name, host])),
    random: () => 0.5,
    ...timers,
  })
  const get: Get = async (request, shape) => {
    await before(JSON.stringify(request.body))
    return http(request, shape)
  }
  return createRpc(ethereum, hosts, get, createRpcMemory(timers))
}

/** The emissions of a block, by its number. They differ between forks. */
const emissionsOf = (block: number, fork = 0): Emission[] =>
  Array.from({ length: (block * 5) % 4 }, (_, n) => ({
    topic: [swap, fill, other][(block + n) % 3] ?? swap,
    word: BigInt(block * 1_000 + fork * 100 + n),
  }))

/** Mines blocks up to a number, and returns the wanted words of the whole range by block. */
async function mineTo(node: Anvil, last: number, fork = 0): Promise<string[]> {
  const mined: string[] = []
  for (;;) {
    const next = Number(await node.rpc('eth_blockNumber')) + 1
    if (next > last) return mined
    const emissions = emissionsOf(next, fork)
    expect(await node.mine(emissions)).toBe(next)
    for (const { topic, word } of emissions) if (wanted.topics.includes(topic)) mined.push(`${next}:${word}`)
  }
}

const words = ({ logs }: Awaited<ReturnType<typeof readLogs>>): string[] =>
  logs.map(({ block, data }) => `${block}:${BigInt(data)}`)

describe.skipIf(anvil === undefined)('a real node', () => {
  test('gives the logs of its blocks, whose bloom filters agree', async () => {
    const node = await startAnvil()
    const expected = await mineTo(node, 80)
    expect(expected.length).toBeGreaterThan(50)
    const rpc = readerOf(node)
    const found = await readProved(rpc, wanted, { from: 0, to: 81 })
    expect(found.unproved).toEqual([])
    expect(words(found)).toEqual(expected)
    const own = await readProved(rpc, { ...wanted, addresses: [emitter] }, { from: 0, to: 81 })
    expect(words(own)).toEqual(expected)
    const none = await readProved(rpc, { topics: [hashOf('nothing')] }, { from: 0, to: 81 })
    expect({ logs: none.logs, unproved: none.unproved }).toEqual({ logs: [], unproved: [] })
  })

  test('gives receipts and transactions with the same logs', async () => {
    const node = await startAnvil()
    await mineTo(node, 7)
    const rpc = readerOf(node)
    const { logs } = await readLogs(rpc, { topics: [swap, fill, other] }, { from: 7, to: 8 })
    expect(logs).toHaveLength(emissionsOf(7).length)
    const [header] = (await readHeaders(rpc, [7])).values()
    const receipts = await rpc.at((one) => receiptsOf(one, header ?? { block: 0, hash: '' }))
    expect(receipts.flatMap((receipt) => receipt.logs)).toEqual(logs)
    const mined = await readTransactions(
      rpc,
      logs.map((log) => ({ ...log, log_indexes: [log.log_index] })),
    )
    expect(mined.map(({ receipt }) => receipt.logs)).toEqual(logs.map((log) => [log]))
    for (const { transaction } of mined) expect(transaction).toMatchObject({ from: sender, to: emitter, value: '0x0' })
  })

  test('gives receipts with the root of their header, and without a log they have another', async () => {
    const node = await startAnvil()
    await mineTo(node, 40)
    const rpc = readerOf(node)
    for (const header of (await readHeaders(rpc, [0, 1, 3, 17, 39, 40])).values()) {
      const receipts = await rpc.at((one) => receiptsOf(one, header))
      expect(receiptsRootOf(receipts)).toBe(header.receipts_root)
      expect(proofOf(header, receipts, true)).toBe('root')
      for (const [n, receipt] of receipts.entries()) {
        const thin = receipts.with(n, { ...receipt, logs: receipt.logs.slice(0, -1) })
        const isThin = receipt.logs.length > 0
        expect(receiptsRootOf(thin) === header.receipts_root).toBe(!isThin)
        if (isThin) expect(() => proofOf(header, thin, true)).toThrow(/do not agree with its header/)
      }
    }
  })

  test('names its final block', async () => {
    const node = await startAnvil()
    await node.rpc('anvil_mine', '0xc8')
    const shape = z.object({ number: z.string() })
    const tag = shape.parse(await node.rpc('eth_getBlockByNumber', 'finalized', false))
    const final = Math.min(Number(tag.number), 200 - ethereum.finality) + 1
    expect(await readWatermark(readerOf(node))).toEqual({ head: 201, final })
  })

  test('gives the logs of one fork when a reorganization comes between two answers', async () => {
    const node = await startAnvil()
    const kept = await mineTo(node, 20)
    const snapshot = await node.rpc('evm_snapshot')
    await mineTo(node, 40)
    let replaced: string[] | undefined
    const rpc = readerOf(node, async (body) => {
      // The headers after the first logs are those of the other fork.
      const isOfHeaders = !body.includes('eth_getLogs') && body.includes('eth_getBlockByNumber')
      if (replaced !== undefined || !isOfHeaders) return
      await node.rpc('evm_revert', snapshot)
      replaced = await mineTo(node, 41, 1)
    })
    const found = await readProved(rpc, wanted, { from: 0, to: 41 })
    expect(replaced).toBeDefined()
    const asOfFork = [...kept, ...(replaced ?? [])].filter((word) => Number(word.split(':')[0]) <= 40)
    expect(words(found)).toEqual(asOfFork)
    expect(found.unproved).toEqual([])
  })

  test('gives the logs of the new fork after a reorganization', async () => {
    const node = await startAnvil()
    await mineTo(node, 30)
    const rpc = readerOf(node)
    const before = await readLogs(rpc, wanted, { from: 20, to: 31 })
    await node.rpc('anvil_reorg', 5, [])
    const after = await readLogs(rpc, wanted, { from: 20, to: 31 })
    expect(words(after)).toEqual(words(before).filter((word) => Number(word.split(':')[0]) <= 25))
    expect(after.headers.get(25)).toEqual(before.headers.get(25))
    expect(after.headers.get(26)?.hash).not.toBe(before.headers.get(26)?.hash)
  })

  test('is alive to a probe', async () => {
    const node = await startAnvil()
    await mineTo(node, 10)
    const report = await readerOf(node).at((one) => probeEndpoint(one, ethereum, timers, 600_000))
    expect(report).toMatchObject({ verdict: 'alive', chain_id: 1, head: 10, n_range: 11, n_batch: 100, n_state: null })
    expect(report).toMatchObject({ has_receipts: true, n_unfinal: 10, has_traces: true })
  })
})
