import { z } from 'zod'

import { createActivities, type Activities, type ActivityTools } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { answerSolana, textOfAnswer, unconfirmed } from '#sim/solana/node.ts'
import { openRateLimits, refusalResponse, type RateLimits } from '#sim/solana/rate_limits.ts'
import { openSolanaWorld, type SolanaWorld } from '#sim/solana/world.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { solanaAccountsOf } from '#sources/solana/solana_accounts.ts'
import { solanaBlocksOf } from '#sources/solana/solana_blocks.ts'
import { solanaTokensOf } from '#sources/solana/solana_tokens.ts'
import { tinyTools } from '#test/ingest/tiny.ts'

import { faultyAnswer, lieAbout, withoutSignatures } from './faulty_answers.ts'

const second = 1_000_000

/** A simulated Solana behind two nodes, whose last slot a test moves. */
export type SolanaHouse = {
  slug: 'solana'
  now: () => number
  world: SolanaWorld
  /** The last slot that the nodes have. */
  setHead: (slot: number) => void
  /** Moves the clock of the readers. */
  wait: (seconds: number) => void
  /** The share of requests that meet a fault. */
  setFaults: (share: number) => void
  /** A transaction that the lists of the nodes leave out. */
  forget: (signature: string) => void
  n_requests: () => number
  /** The requests that the limits of the nodes refused. */
  n_refused: () => number
  sources: { blocks: Source; accounts: Source; tokens: Source }
  /** `more` replaces tools, or adds sources and hosts. */
  activities: (lake: Lake, more?: Partial<ActivityTools>) => Activities
}

type HouseOptions = {
  seed: number
  n_slots: number
  slot_s: number
  n_tokens: number
  whole: string
  /** The limits of each node; without them any number of requests is answered. */
  limits: RateLimits
}

/** All slots of the world are final at the start. */
export function solanaHouse({
  seed = 7,
  n_slots = 310,
  slot_s = 10,
  n_tokens = 4,
  whole = 'solana',
  limits,
}: Partial<HouseOptions> = {}): SolanaHouse {
  const world = openSolanaWorld({ seed, n_slots, n_tokens, start_s: 1_790_000_000, slot_s, isLarge: true })
  const forgotten = new Set<string>()
  let [head, faults, n_requests, n_refused, slept_ms, waited_s] = [n_slots + unconfirmed, 0, 0, 0, 0, 0]
  const random = createRandom(seed, 12)
  const now_s = (): number => world.plan.start_s + slot_s * n_slots + waited_s
  const timers = { now_ms: () => now_s() * 1_000 + slept_ms, sleep: async (ms: number) => void (slept_ms += ms) }
  const memory = createRpcMemory(timers)
  const sources = { blocks: solanaBlocksOf(memory), accounts: solanaAccountsOf(memory), tokens: solanaTokensOf(memory) }
  const config = parseConfig(
    {
      RPC_SOLANA: 'https://node1.example1,https://node2.example2',
      TAPELINE_WORLD: 'seed-7',
      TAPELINE_WHOLE_CHAINS: whole,
    },
    Object.values(sources),
  )
  const limitsOf = new Map<string, ReturnType<typeof openRateLimits>>()
  const refusalOf = (url: string, text: string): Response | null => {
    if (limits === undefined) return null
    const { host } = new URL(url)
    const refuse = limitsOf.get(host) ?? openRateLimits(limits)
    limitsOf.set(host, refuse)
    const refusal = refuse(JSON.parse(text), timers.now_ms() / 1_000)
    if (refusal === null) return null
    n_refused += 1
    return refusalResponse(refusal)
  }
  const respond = (text: string): Response => {
    n_requests += 1
    if (random.chance(faults)) return faultyAnswer(random.below(4))
    const answer = withoutSignatures(answerSolana(world, JSON.parse(text), head), forgotten)
    return new Response(textOfAnswer(random.chance(faults) ? lieAbout(answer, random.below(3)) : answer))
  }
  return {
    slug: 'solana',
    now: () => now_s() * second,
    world,
    setHead: (slot) => void (head = slot),
    wait: (seconds) => void (waited_s += seconds),
    setFaults: (share) => void (faults = share),
    forget: (signature) => void forgotten.add(signature),
    n_requests: () => n_requests,
    n_refused: () => n_refused,
    sources,
    activities: (lake, more = {}) => {
      const hosts = Object.fromEntries(
        Object.values(config.hosts).map((host) => [host.name, { ...host, requestsPer10s: 1e9 }]),
      )
      const fetch = async (url: unknown, init?: RequestInit) => {
        const text = z.string().parse(init?.body)
        return refusalOf(String(url), text) ?? respond(text)
      }
      const http = createHttp({ hosts, random: () => 0.5, ...timers, fetch })
      const tools = { ...tinyTools(lake, sources.blocks, 0), ...more }
      return createActivities({
        ...tools,
        sources: [...config.sources, ...(more.sources ?? [])],
        hosts: { ...hosts, ...more.hosts },
        http,
        timers,
        clock: () => now_s() * second,
        keepRaw: true,
        concurrency: 2,
      })
    },
  }
}
