import { z } from 'zod'

import { createActivities, type Activities, type ActivityTools } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { evmAccountsOf } from '#sources/evm/evm_accounts.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import { until } from '#test/run/eventually.ts'
import { follow } from '#workflows/follow.ts'
import type { Following } from '#workflows/follow_state.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

import { sparseNode, timeOf, type SparseChain } from './sparse_chain.ts'

const second = 1_000_000

/** A sparse chain behind nodes, and the reader of its accounts. */
export type AccountsHouse = {
  now: () => number
  /** Moves the clock of the readers. */
  wait: (seconds: number) => void
  source: Source
  activities: (lake: Lake, more?: Partial<ActivityTools>) => Activities
  /** The requests so far, and the calls in them by method. */
  n_requests: () => number
  calls: Map<string, number>
  /** The node of each `eth_getLogs`, and the account that it names, in their order. */
  asked: { node: number; account: string; from: number }[]
}

type Change = (node: (body: string) => string, n: number) => (body: string) => string

/** Makes the house. `change` makes a node of an honest one. */
export function accountsHouse(
  chain: SparseChain,
  limits: { size: number; most: number },
  { n_nodes = 2, change = (node: (body: string) => string) => node }: { n_nodes?: number; change?: Change } = {},
): AccountsHouse {
  let [slept_ms, waited_s, n_requests] = [0, 0, 0]
  const now = (): number => (timeOf(chain.n_blocks) + waited_s) * second
  const timers = { now_ms: () => now() / 1_000 + slept_ms, sleep: async (ms: number) => void (slept_ms += ms) }
  const source = evmAccountsOf(createRpcMemory(timers), limits)
  const urls = Array.from({ length: n_nodes }, (_, n) => `https://node${n}.example${n}`)
  const config = parseConfig({ RPC_BASE: urls.join(), TAPELINE_WORLD: 'seed-7' }, [source])
  const nodes = urls.map((_, n) => change(sparseNode(chain), n))
  const calls = new Map<string, number>()
  const asked: AccountsHouse['asked'] = []
  const note = (text: string, node: number): void => {
    n_requests += 1
    for (const call of [JSON.parse(text) as unknown].flat() as { method: string; params: unknown[] }[]) {
      calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
      if (call.method !== 'eth_getLogs') continue
      const { fromBlock, topics } = call.params[0] as { fromBlock: string; topics: (string | null)[] }
      asked.push({ node, account: `0x${(topics[1] ?? topics[2] ?? '').slice(-40)}`, from: Number(fromBlock) })
    }
  }
  return {
    now,
    wait: (seconds) => void (waited_s += seconds),
    source,
    n_requests: () => n_requests,
    calls,
    asked,
    activities: (lake, more = {}) => {
      const hosts = Object.fromEntries(
        Object.values(config.hosts).map((host) => [host.name, { ...host, requestsPer10s: 1e9 }]),
      )
      const http = createHttp({
        hosts,
        random: () => 0.5,
        ...timers,
        fetch: async (url, init) => {
          const n = urls.findIndex((address) => z.string().parse(url).startsWith(address))
          const text = z.string().parse(init?.body)
          note(text, n)
          return new Response(nodes[n]?.(text))
        },
      })
      const tools = { ...tinyTools(lake, source, 0), sources: config.sources, ...more }
      return createActivities({ ...tools, hosts, http, timers, clock: now, keepRaw: true, concurrency: 4 })
    },
  }
}

/** Requests accounts as the API does, until each is begun. */
export async function request(house: AccountsHouse, lake: Lake, accounts: readonly string[]): Promise<void> {
  let left = [...accounts]
  const requests = {
    list: async (without: readonly string[]) => left.filter((key) => !without.includes(key)),
    followed: async () => [],
    strangers: async (keys: string[]) => keys,
    complete: async (keys: string[], outcome: { left: string[] }) => {
      left = left.filter((key) => !keys.includes(key) || outcome.left.includes(key))
    },
  }
  const asked = { source: house.source.name, pause_ms: 5 }
  const run = startWorkflow(ingestRequested, { args: [asked], activities: house.activities(lake, { requests }) })
  await until(() => left.length === 0)
  run.cancel()
  await run.result.catch(() => undefined)
}

/** Follows the accounts of the chain for one round, half a minute later. */
export async function round(house: AccountsHouse, activities: Activities): Promise<void> {
  house.wait(30)
  const asked = { group: 'accounts', part: 'base', sources: [house.source.name], from: 0 }
  const run = startWorkflow(follow, { args: [asked], activities })
  const state = (): Following | undefined => run.query<[], Following>({ name: 'progress' })
  await until(() => (state()?.rounds ?? 0) > 0 || (state()?.failedRounds ?? 0) > 0)
  const fault = state()?.fault ?? null
  run.cancel()
  await run.result.catch(() => undefined)
  if (fault !== null) throw new Error(fault)
}

/** Follows round by round until one reads nothing; returns the number of those that did. */
export async function rounds(house: AccountsHouse, activities: Activities, most = 50): Promise<number> {
  for (let n = 0; n < most; n++) {
    const before = house.asked.length
    await round(house, activities)
    if (house.asked.length === before) return n
  }
  throw new Error(`rounds: more than ${most}; expected an end`)
}
