import { describe, expect, test } from 'vitest'

import { findChain } from '#registry/chains/find_chain.ts'
import { createNode } from '#sources/evm/rpc/node.ts'
import { probeEndpoint, type EndpointReport } from '#sources/evm/rpc/probe_endpoint.ts'

import { chainOf } from './fake_chain.ts'
import { readerOf, type Behaviour } from './fake_node.ts'

const chain = chainOf(Array.from({ length: 1_200 }, (_, n) => n % 2))
/** Seconds from the start of the clock to the time of the newest block. */
const headTime_s = 12 * 1_199

async function probe(behaviour: Behaviour, age_s = 30): Promise<EndpointReport & { n_requests: number }> {
  const { get, memory, timers, wait, seen } = readerOf(chain, [behaviour])
  wait((headTime_s + age_s) * 1_000)
  const node = createNode('rpc_ethereum_1', memory.stateOf('rpc_ethereum_1'), get)
  // Sleeping takes no time here, so only a hanging request would meet a deadline.
  const patient = { ...timers, sleep: () => new Promise<void>(() => {}) }
  const report = await probeEndpoint(node, findChain('ethereum'), patient, 60_000)
  return { ...report, n_requests: seen[0]?.length ?? 0 }
}

describe('the probe of an endpoint', () => {
  test('finds out what it can do, in few requests', async () => {
    expect(await probe({})).toEqual({
      verdict: 'alive',
      chain_id: 1,
      head: 1_199,
      head_age_s: 30,
      n_range: 1_200,
      n_batch: 100,
      has_receipts: true,
      has_traces: false,
      n_unfinal: 10,
      n_state: null,
      n_requests: 11,
    })
  })

  test('finds its limits', async () => {
    const found = await probe({ maxRange: 700, maxBatch: 15, isPoor: true, stateDepth: 200 })
    expect(found).toMatchObject({
      verdict: 'alive',
      n_range: 500,
      n_batch: 10,
      has_receipts: false,
      n_unfinal: null,
      n_state: 128,
    })
    expect(found.n_requests).toBeLessThan(28)
    const named = await probe({ maxRange: 700, rangeError: (n) => `up to a ${n} block range` })
    expect(named).toMatchObject({ n_range: 700 })
  })

  test.each(['debug_traceTransaction', 'trace_transaction'] as const)('finds traces by %s', async (traces) => {
    expect(await probe({ traces })).toMatchObject({ has_traces: true })
  })

  test.each<[string, Behaviour, number, Partial<EndpointReport>]>([
    ['an old head', {}, 3_600, { verdict: 'stale', reason: 'its head is 3600 s old', head_age_s: 3_600 }],
    ['another chain', { chainId: 10 }, 0, { verdict: 'wrong chain', reason: 'chain id 10; expected 1' }],
    ['no answer', { fault: () => 'down' }, 0, { verdict: 'dead' }],
    ['no JSON', { fault: () => 'html' }, 0, { verdict: 'dead' }],
  ])('reports %s', async (_, behaviour, age_s, expected) => {
    expect(await probe(behaviour, age_s)).toMatchObject(expected)
  })

  test('ends at its deadline with the answers so far', async () => {
    const { get, memory, timers } = readerOf(chain, [{}])
    const hanging: typeof get = (request, shape) =>
      JSON.stringify(request.body).includes('getBlockReceipts') ? new Promise(() => {}) : get(request, shape)
    const node = createNode('rpc_ethereum_1', memory.stateOf('rpc_ethereum_1'), hanging)
    const atOnce = { ...timers, sleep: () => new Promise((resolve) => setTimeout(resolve, 20)) }
    const report = await probeEndpoint(node, findChain('ethereum'), atOnce, 5_000)
    expect(report).toMatchObject({ verdict: 'alive', head: 1_199, reason: 'no whole answer within 5 s' })
    expect(report.n_range).toBeUndefined()
  })
})
