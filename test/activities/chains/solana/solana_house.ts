import { z } from 'zod'

import { createRpcMemory } from '#activities/chains/evm/rpc/endpoint_state.ts'
import { solanaAccountsOf } from '#activities/chains/solana/solana_accounts.ts'
import { solanaBlocksOf } from '#activities/chains/solana/solana_blocks.ts'
import { solanaTokensOf } from '#activities/chains/solana/solana_tokens.ts'
import { createHttp } from '#activities/http/http.ts'
import { createActivities, type Activities } from '#activities/index.ts'
import type { Source } from '#activities/source.ts'
import { parseConfig } from '#config.ts'
import type { Lake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { answerSolana, textOfAnswer, unconfirmed } from '#sim/solana/node.ts'
import { openSolanaWorld, type SolanaWorld } from '#sim/solana/world.ts'
import { tinyTools } from '#test/activities/tiny.ts'

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
  sources: { blocks: Source; accounts: Source; tokens: Source }
  activities: (lake: Lake) => Activities
}

/** All slots of the world are final at the start. */
export function solanaHouse({
  seed = 7,
  n_slots = 310,
  slot_s = 10,
  n_tokens = 4,
  whole = 'solana',
} = {}): SolanaHouse {
  const world = openSolanaWorld({ seed, n_slots, n_tokens, start_s: 1_790_000_000, slot_s, isLarge: true })
  const forgotten = new Set<string>()
  let [head, faults, n_requests, slept_ms, waited_s] = [n_slots + unconfirmed, 0, 0, 0, 0]
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
    sources,
    activities: (lake) => {
      const hosts = Object.fromEntries(
        Object.values(config.hosts).map((host) => [host.name, { ...host, requestsPer10s: 1e9 }]),
      )
      const fetch = async (_: unknown, init?: RequestInit) => respond(z.string().parse(init?.body))
      const http = createHttp({ hosts, random: () => 0.5, ...timers, fetch })
      const tools = { ...tinyTools(lake, sources.blocks, 0), sources: config.sources }
      return createActivities({
        ...tools,
        hosts,
        http,
        timers,
        clock: () => now_s() * second,
        keepRaw: true,
        concurrency: 2,
      })
    },
  }
}

const listShape = z.looseObject({ result: z.array(z.looseObject({ signature: z.string() })).min(1) })

/** An answer that lists signatures, without some of them. */
function withoutSignatures(answer: unknown, left: ReadonlySet<string>): unknown {
  const list = listShape.safeParse(answer).data
  if (list === undefined || left.size === 0) return answer
  return { ...list, result: list.result.filter(({ signature }) => !left.has(signature)) }
}

/** The answers of a node that is busy, broken, behind, or without its old blocks. */
function faultyAnswer(n: number): Response {
  if (n === 0) return new Response('Too many requests for a specific RPC call', { status: 429 })
  if (n === 1) return new Response('<html>Bad gateway</html>')
  const [code, message] =
    n === 2 ? [-32_005, 'Node is behind by 42 slots'] : [-32_004, 'Block not available for slot 9']
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } }))
}

const blockShape = z.looseObject({ blockhash: z.string(), transactions: z.array(z.unknown()).optional() })

/** An answer that lacks a block of a list, is null, or repeats a transaction. */
function lieAbout(answer: unknown, how: number): unknown {
  const { result, ...rest } = z.looseObject({ result: z.unknown().optional() }).parse(answer)
  if (Array.isArray(result)) return { ...rest, result: result.toSpliced(how, 1) }
  const block = blockShape.safeParse(result).data
  if (block?.transactions === undefined || how === 0) return { ...rest, result: how === 1 ? result : null }
  return { ...rest, result: { ...block, transactions: [...block.transactions, ...block.transactions.slice(-how)] } }
}
