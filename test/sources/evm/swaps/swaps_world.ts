import { z } from 'zod'

import { createActivities, type Activities } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { answerRpc } from '#sim/chains/node.ts'
import type { SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { createRandom } from '#sim/random.ts'
import { evmAddressesOf } from '#sources/evm/evm_addresses.ts'
import { evmBalancesOf } from '#sources/evm/evm_balances.ts'
import { evmSwapsOf } from '#sources/evm/evm_swaps.ts'
import { evmTokensOf } from '#sources/evm/evm_tokens.ts'
import { createRpcMemory, type EndpointState } from '#sources/evm/rpc/endpoint_state.ts'
import { tinyTools } from '#test/ingest/tiny.ts'

import type { ReadChain } from './runs.ts'

const second = 1_000_000

/** A simulated chain whose head a test moves, behind two nodes. */
export type SwapsWorld = ReadChain & {
  chain: () => SimulatedChain
  head: () => number
  grow: (n: number) => void
  /** Replaces the last `depth` blocks by others, and adds `more`. */
  reorg: (depth: number, more?: number) => void
  /** The share of requests that meet a fault. */
  setFaults: (share: number) => void
  /** The node is so many blocks behind. */
  setLag: (blocks: number) => void
  n_requests: () => number
  /** What the requests to an endpoint have shown. */
  stateOf: (name: string) => EndpointState
  source: Source
  tokens: Source
  addresses: Source
  balances: Source
  activities: (lake: Lake, keepRaw?: boolean) => Activities
}

type WorldOptions = {
  slug?: string
  head?: number
  seed?: number
  block_s?: number
  whole?: string
  /** A method that the nodes do not serve. */
  without?: string
  /** The wallets whose balances are read beside the largest. */
  named?: string
  /** The addresses of watchlists and alerts, the longest followed first. */
  followed?: string[]
  /** The blocks below the head of which each node has the state. */
  n_states?: number[]
  /** The answer that a node, 0 or 1, gives in place of the true one to a request. */
  change?: (answer: unknown, text: string, node: number) => unknown
}

/** Makes a chain of `head` blocks. */
export function swapsWorld({
  slug = 'base',
  head: first = 250,
  seed = 7,
  block_s = 2,
  whole = '',
  without = '',
  named = '',
  followed = [],
  n_states = [Infinity, Infinity],
  change = (answer) => answer,
}: WorldOptions = {}): SwapsWorld {
  let chain: SimulatedChain = { slug, id: findChain(slug).id ?? 0, seed, block_s, start_s: 1_790_000_000, forks: [] }
  let [head, faults, lag, n_requests, slept_ms] = [first, 0, 0, 0, 0]
  const random = createRandom(seed, 11)
  const now_s = (): number => chain.start_s + block_s * head
  const timers = {
    now_ms: () => now_s() * 1_000 + slept_ms,
    sleep: async (ms: number) => void (slept_ms += ms),
  }
  const memory = createRpcMemory(timers)
  const [source, tokens, addresses] = [evmSwapsOf(memory), evmTokensOf(memory), evmAddressesOf(memory)]
  const balances = evmBalancesOf(memory)
  const setting = `RPC_${slug.toUpperCase().replaceAll('-', '_')}`
  const config = parseConfig(
    {
      [setting]: 'https://node1.example1,https://node2.example2',
      TAPELINE_WORLD: 'seed-7',
      TAPELINE_WHOLE_CHAINS: whole,
      TAPELINE_EVM_WALLETS: named,
    },
    [source, tokens, addresses, balances],
  )
  const respond = (text: string, node: number): Response => {
    n_requests += 1
    if (random.chance(faults)) return faultyAnswer(random.below(3))
    const late_s = random.chance(faults) ? 3 * block_s : 0
    if (without !== '' && text.includes(without))
      return new Response('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"method not found"}}')
    const seen = { ...chain, n_states: n_states[node] ?? Infinity }
    const answer = change(answerRpc(seen, JSON.parse(text), now_s() - lag * block_s - late_s), text, node)
    return new Response(JSON.stringify(random.chance(faults) ? lieAbout(answer) : answer))
  }
  return {
    slug,
    chain: () => chain,
    head: () => head,
    grow: (n) => void (head += n),
    reorg: (depth, more = 1) => {
      chain = { ...chain, forks: [...(chain.forks ?? []), head - depth + 1] }
      head += more
    },
    setFaults: (share) => void (faults = share),
    setLag: (blocks) => void (lag = blocks),
    now: () => now_s() * second,
    n_requests: () => n_requests,
    stateOf: memory.stateOf,
    source,
    tokens,
    addresses,
    balances,
    activities: (lake, keepRaw = true) => {
      const hosts = Object.fromEntries(
        Object.values(config.hosts).map((host) => [host.name, { ...host, requestsPer10s: 1e9 }]),
      )
      const http = createHttp({
        hosts,
        random: () => 0.5,
        ...timers,
        fetch: async (url, init) => {
          const isFirst = z.string().parse(url).includes('node1')
          return respond(z.string().parse(init?.body), isFirst ? 0 : 1)
        },
      })
      const clock = (): number => now_s() * second
      const given = tinyTools(lake, source, 0)
      const requests = { ...given.requests, followed: async () => followed }
      const tools = { ...given, sources: config.sources, requests }
      return createActivities({ ...tools, hosts, http, timers, clock, keepRaw, concurrency: 4 })
    },
  }
}

function faultyAnswer(n: number): Response {
  if (n === 0) return new Response('slow down', { status: 429 })
  if (n === 1) return new Response('<html>Bad gateway</html>')
  return new Response('{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}')
}

const replyShape = z.looseObject({ result: z.unknown().optional() })

/** An answer that lacks something: logs of a range, a receipt, or the reply to a call. */
const lieAbout = (answer: unknown): unknown => {
  if (!Array.isArray(answer)) return answer
  const replies: unknown[] = answer
  return replies.map((reply, n) => {
    const { result, ...rest } = replyShape.parse(reply)
    if (Array.isArray(result)) return { ...rest, result: result.slice(1) }
    return n === replies.length - 1 ? { ...rest, result: null } : reply
  })
}
