import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { createHttp } from '#ingest/http/http.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { startNode, type LocalNode } from '#sim/evm/node/start_node.ts'
import { createRandom } from '#sim/random.ts'
import { readFirstTransactions } from '#sources/evm/addresses/read_first_transactions.ts'
import { createBlockFinder } from '#sources/evm/blocks/find_block.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { createRpc } from '#sources/evm/rpc/rpc.ts'
import { anvil } from '#test/run/anvil.ts'
import { machineTimers } from '#time.ts'

const day_s = 86_400
/** Midnight, so that days are easy to read. */
const start_s = 20_000 * day_s
const block_s = 10_800
/** Thirty days. */
const head = 240
const timeOf = (block: number): number => start_s + block_s * block

const addressesShape = z.array(z.string())

/** A real chain in which each account sends its transactions in the given blocks. */
async function chainOf(sends: readonly (readonly number[])[], n_states: number) {
  const node = await startNode({ chainId: 1, start_s, accounts: { number: sends.length, seed: 3 }, n_states })
  onTestFinished(node.close)
  const addresses = addressesShape.parse(await node.call('eth_accounts')).map((address) => address.toLowerCase())
  for (let block = 1; block <= head; block++) {
    for (const [n, blocks] of sends.entries())
      if (blocks.includes(block))
        await node.call('eth_sendTransaction', { from: addresses[n], to: addresses[0], value: '0x1', gas: '0x5208' })
    await node.call('evm_mine', { timestamp: timeOf(block) })
  }
  return { node, addresses }
}

function readerOf({ url }: LocalNode) {
  const ethereum = findChain('ethereum')
  const hosts = endpointsOf(ethereum, { rpcUrls: { ethereum: [url] }, rpcWorld: 'real' })
  const memory = createRpcMemory(machineTimers)
  const http = createHttp({
    hosts: Object.fromEntries(hosts.map((host) => [host.name, host])),
    random: () => 0.5,
    ...machineTimers,
  })
  const rpc = createRpc(ethereum, hosts, (request, shape) => http(request, shape), memory)
  return { rpc, memory, chain: { head, findBlock: createBlockFinder() } }
}

/** The block of the first transaction of an account, unless it came before the seven days before the day of `named`. */
const truthOf = (sends: readonly number[], named: number): number | undefined => {
  const [first] = sends.toSorted((a, b) => a - b)
  const oldest_s = Math.floor(timeOf(named) / day_s) * day_s - 7 * day_s
  return first === undefined || timeOf(first) < oldest_s ? undefined : timeOf(first)
}

describe.skipIf(anvil === undefined)('the first transactions on a real node', () => {
  test('are those of the blocks, for accounts that sent none a week before their first swap', async () => {
    const random = createRandom(3, 1)
    const sends = Array.from({ length: 40 }, (_, n) =>
      n % 8 === 7 ? [] : Array.from({ length: 1 + random.below(3) }, () => 1 + random.below(head)),
    )
    // On each side of the border, and in the first and the last block.
    const day = 86_400 / block_s
    sends.push([12 * day - 1], [12 * day], [1], [head], [1, head])
    const named = sends.map((blocks, n) =>
      n < 40
        ? Math.min(head, Math.max(1, ...blocks) + random.below(30))
        : [19 * day + 3, 19 * day + 3, 5, head, head][n - 40],
    )
    const { node, addresses } = await chainOf(sends, 1_000)
    const accounts = addresses.map((address, n) => ({ address, named_s: timeOf(named[n] ?? 0) }))
    const truth = sends.flatMap((blocks, n) => {
      const first_s = truthOf(blocks, named[n] ?? 0)
      return first_s === undefined ? [] : [[addresses[n], first_s] as const]
    })
    expect(truth.length).toBeGreaterThan(10)
    expect(truth.length).toBeLessThan(35)
    const { rpc, chain } = readerOf(node)
    const { first_tx_s, n_unknown } = await readFirstTransactions(rpc, accounts, chain)
    expect(first_tx_s).toEqual(new Map(truth))
    expect(n_unknown).toBe(0)
  })

  test('are unknown where the node has dropped the state, and only there', async () => {
    // The node keeps sixteen days: the week before the second account is there, that before the first is not.
    const { node, addresses } = await chainOf([[100], [230]], 128)
    const { rpc, memory, chain } = readerOf(node)
    const [first = '', second = ''] = addresses
    const accounts = [
      { address: first, named_s: timeOf(101) },
      { address: second, named_s: timeOf(231) },
    ]
    const { first_tx_s, n_unknown } = await readFirstTransactions(rpc, accounts, chain)
    expect([...first_tx_s]).toEqual([[second, timeOf(230)]])
    expect(n_unknown).toBe(1)
    const { firstBlock, firstState } = memory.stateOf('rpc_ethereum_1')
    expect(firstBlock).toBe(0)
    expect(firstState).toBeGreaterThan(1)
    expect(firstState).toBeLessThan(100)
  })
})
