import { z } from 'zod'

import { createActivities, type Activities } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { polymarketChainOf } from '#sources/markets/polymarket/polymarket_chain.ts'
import { tinyTools } from '#test/ingest/tiny.ts'

import { answerLogs, timeOf, type LogsChain } from './logs_node.ts'

/** A chain behind two nodes, and the reader of its logs. */
export type ChainHouse = {
  slug: string
  now: () => number
  chain: () => LogsChain
  grow: (n: number) => void
  /** Replaces the last `depth` blocks, and adds one. */
  reorg: (depth: number) => void
  setFaults: (share: number) => void
  /** Takes the contracts of the venue off the chain. */
  strip: () => void
  source: Source
  activities: (lake: Lake) => Activities
}

export function chainHouse(
  n_blocks: number,
  transactionsOf: LogsChain['transactionsOf'],
  follow: 'on' | 'off' = 'on',
): ChainHouse {
  let chain: LogsChain = { n_blocks, forks: [], transactionsOf }
  let [slept_ms, faults] = [0, 0]
  const random = createRandom(3, 1)
  const now = (): number => timeOf(chain.n_blocks) * 1_000_000
  const timers = { now_ms: () => now() / 1_000 + slept_ms, sleep: async (ms: number) => void (slept_ms += ms) }
  const source: Source = polymarketChainOf(createRpcMemory(timers))
  const urls = 'https://node1.example1,https://node2.example2'
  const config = parseConfig({ RPC_POLYGON: urls, TAPELINE_WORLD: 'seed-3', TAPELINE_POLYMARKET_CHAIN: follow }, [
    source,
  ])
  const respond = (text: string): Response => {
    if (random.chance(faults))
      return new Response(random.chance(0.5) ? '<html>Bad gateway</html>' : '', { status: 502 })
    const answer = answerLogs(chain, text)
    return new Response(JSON.stringify(random.chance(faults) ? withoutSome(answer) : answer))
  }
  return {
    slug: 'polymarket',
    now,
    chain: () => chain,
    grow: (n) => void (chain = { ...chain, n_blocks: chain.n_blocks + n }),
    reorg: (depth) =>
      void (chain = { ...chain, n_blocks: chain.n_blocks + 1, forks: [...chain.forks, chain.n_blocks - depth] }),
    setFaults: (share) => void (faults = share),
    strip: () => void (chain = { ...chain, isBare: true }),
    source,
    activities: (lake) => {
      const hosts = Object.fromEntries(
        Object.values(config.hosts).map((host) => [host.name, { ...host, requestsPer10s: 1e9 }]),
      )
      const fetch = async (_: unknown, init?: { body?: unknown }) => respond(z.string().parse(init?.body))
      const http = createHttp({ hosts, random: () => 0.5, ...timers, fetch })
      const tools = { ...tinyTools(lake, source, 0), sources: config.sources }
      return createActivities({ ...tools, hosts, http, timers, clock: now, keepRaw: true, concurrency: 4 })
    },
  }
}

const replyShape = z.looseObject({ result: z.unknown().optional() })

/** An answer that lacks the first log of a range, or the first receipt of a block. */
const withoutSome = (answer: unknown): unknown =>
  (Array.isArray(answer) ? answer : [answer]).map((reply) => {
    const { result, ...rest } = replyShape.parse(reply)
    return { ...rest, result: Array.isArray(result) ? result.slice(1) : result }
  })
