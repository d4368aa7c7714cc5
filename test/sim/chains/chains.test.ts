import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request, type IncomingMessage } from 'node:http'

import type { Hex } from 'viem'
import { decodeEventLog, parseAbi } from 'viem/utils'
import { onTestFinished, describe, expect, test } from 'vitest'

import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { answerRpc } from '#sim/chains/node.ts'
import { serveChains } from '#sim/chains/serve_chains.ts'
import { tokensOf, tradesOf, type SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { readHeaders, readTransactions, readWatermark } from '#sources/evm/rpc/blocks.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { readLogs } from '#sources/evm/rpc/logs.ts'
import { createRpc } from '#sources/evm/rpc/rpc.ts'

const chainOf = (slug: string, block_s: number): SimulatedChain => ({
  slug,
  id: findChain(slug).id ?? 0,
  seed: 7,
  block_s,
  start_s: 1_790_000_000,
})
const chains = [chainOf('base', 2), chainOf('arbitrum-nova', 1)] as const
/** More than a node accepts as one range. */
const n_blocks = 1_300

const swaps = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])
const swaps3 = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])
const topicOf = {
  v2: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  v3: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
}

/** Readers of the served chains through the settings, as commands make them. */
async function readers() {
  // The clock stands still at the last block of the first chain.
  const at = (1_790_000_000 + 2 * n_blocks) * 1_000_000
  const served = await serveChains(chains, () => at)
  onTestFinished(served.close)
  const config = parseConfig({ ...served.settings, TAPELINE_WORLD: 'seed-7' })
  const timers = { now_ms: () => at / 1_000, sleep: async () => {} }
  return chains.map(({ slug }) => {
    const hosts = endpointsOf(findChain(slug), config)
    expect(hosts).toMatchObject([{ world: 'seed-7' }])
    const http = createHttp({
      hosts: Object.fromEntries(hosts.map((host) => [host.name, host])),
      random: () => 0,
      ...timers,
    })
    return createRpc(findChain(slug), hosts, (request, shape) => http(request, shape), createRpcMemory(timers))
  })
}

describe('simulated chains', () => {
  test('are read like real ones: every swap of every trade, in exact amounts', async () => {
    for (const [n, rpc] of (await readers()).entries()) {
      const chain = chains[n] ?? chains[0]
      const { logs } = await readLogs(rpc, { topics: Object.values(topicOf) }, { from: 0, to: n_blocks })
      const expected = Array.from({ length: n_blocks }, (_, block) => tradesOf(chain, block)).flat()
      expect(expected.length).toBeGreaterThan(1_000)
      expect(logs.map(({ tx, address }) => ({ tx, pool: address }))).toEqual(
        expected.map(({ tx, pool }) => ({ tx, pool })),
      )
      for (const [at, { topics, data }] of logs.entries()) {
        const trade = expected[at]
        const log = { topics: topics as [Hex, ...Hex[]], data: data as Hex }
        const isFirstSold = (trade?.token_sold ?? '') < (trade?.token_bought ?? '')
        const paid = isFirstSold
          ? [trade?.amount_sold, trade?.amount_bought]
          : [trade?.amount_bought, trade?.amount_sold]
        const net =
          topics[0] === topicOf.v2
            ? (({ args }) => [args.amount0In - args.amount0Out, args.amount1In - args.amount1Out])(
                decodeEventLog({ abi: swaps, ...log }),
              )
            : (({ args }) => [args.amount0, args.amount1])(decodeEventLog({ abi: swaps3, ...log }))
        expect(net.map((value) => (value < 0n ? -value : value))).toEqual(paid)
        expect(net.map((value) => value > 0n)).toEqual([isFirstSold, !isFirstSold])
      }
    }
  })

  test('have blocks, transactions and receipts that agree', async () => {
    const [rpc] = await readers()
    if (rpc === undefined) throw new Error('no reader')
    expect(await readWatermark(rpc)).toEqual({ head: n_blocks + 1, final: n_blocks - 30 + 1 })
    const headers = await readHeaders(rpc, [0, 1, 2, n_blocks])
    expect(headers.get(n_blocks)?.time_s).toBe(1_790_000_000 + 2 * n_blocks)
    const trades = [100, 101, 102, 103, 104].flatMap((block) => tradesOf(chains[0], block))
    const all = await readHeaders(rpc, [100, 101, 102, 103, 104])
    const wanted = trades.map(({ tx, block }) => ({
      tx,
      block,
      block_hash: all.get(block)?.hash ?? '',
      log_indexes: [],
    }))
    const mined = await readTransactions(rpc, wanted)
    expect(mined.map(({ transaction }) => transaction.from)).toEqual(trades.map(({ wallet }) => wallet))
    for (const { receipt } of mined) expect(receipt.logs).toHaveLength(3)
  })

  test('sell all that was bought, at a known result', () => {
    const held = new Map<string, bigint>()
    const book = (wallet: string, token: string, amount: bigint) =>
      held.set(`${wallet} ${token}`, (held.get(`${wallet} ${token}`) ?? 0n) + amount)
    const tokens = new Set(tokensOf(chains[0]).map(({ address }) => address))
    for (let block = 0; block < 500; block++) {
      for (const { wallet, token_sold, amount_sold, token_bought, amount_bought } of tradesOf(chains[0], block)) {
        book(wallet, token_bought, amount_bought)
        book(wallet, token_sold, -amount_sold)
        if (tokens.has(token_sold)) expect(held.get(`${wallet} ${token_sold}`)).toBeGreaterThanOrEqual(0n)
      }
    }
    expect(held.size).toBeGreaterThan(60)
  })

  test('name the tokens of their pools, and refuse unknown calls', () => {
    const [token] = tokensOf(chains[0])
    const ask = (method: string, ...params: unknown[]) =>
      answerRpc(chains[0], { jsonrpc: '2.0', id: 1, method, params }, 1_790_000_100)
    const called = (to: string, data: string) => ask('eth_call', { to, data }, 'latest')
    const pair = [called(token?.pools.v3 ?? '', '0x0dfe1681'), called(token?.pools.v2 ?? '', '0xd21220a7')]
    expect(JSON.stringify(pair)).toContain(token?.address.slice(2) ?? 'none')
    expect(called(token?.address ?? '', '0x313ce567')).toMatchObject({ result: `0x${'12'.padStart(64, '0')}` })
    expect(called(token?.address ?? '', '0x0dfe1681')).toMatchObject({ error: { message: 'execution reverted' } })
    expect(ask('eth_mine')).toMatchObject({ error: { code: -32_601 } })
    expect(ask('eth_getLogs', { topics: 7 })).toMatchObject({ error: { code: -32_602 } })
    expect(answerRpc(chains[0], 'text', 0)).toMatchObject({ error: { code: -32_600 } })
  })
})

test('a node that throws and a reader that leaves within its request end no other request', async () => {
  const broken = {
    slug: 'solana',
    answer: () => {
      throw new Error('broken')
    },
  }
  const { settings, close } = await serveChains(chains, () => 1_790_000_100_000_000, [broken])
  onTestFinished(close)
  const ask = async (url = '') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    return (await fetch(url, { method: 'POST', body })).json()
  }
  await expect(ask(settings['RPC_SOLANA'])).rejects.toThrow('fetch failed')
  const { port, pathname } = new URL(settings['RPC_BASE'] ?? '')
  const begun = new Promise<IncomingMessage>((resolve) => {
    const note = (message: unknown) => resolve((message as { request: IncomingMessage }).request)
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
  })
  const leaving = request({ port, path: pathname, method: 'POST', headers: { 'content-length': 100 } })
  leaving.once('error', () => undefined).write('{')
  const served = await begun
  const closed = new Promise((resolve) => served.once('close', resolve))
  leaving.destroy()
  // The server has seen that the reader left.
  await closed
  expect(served.complete).toBe(false)
  expect(await ask(settings['RPC_BASE'])).toMatchObject({ result: '0x2105' })
})
