import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import type { Get } from '#ingest/http/request.ts'
import { solanaGenesis, type Chain } from '#registry/chains/chain.ts'

import type { EndpointState, RpcMemory } from './endpoint_state.ts'
import { RpcFault } from './fault.ts'
import type { FaultKind } from './fault_texts.ts'
import { createNode, type RpcNode } from './node.ts'
import { safeQuantity } from './shapes.ts'

/**
 * The requirements of a piece of work: a method, the blocks from one on, the state of the accounts from a block on,
 * other endpoints than some. Endpoints that are known not to meet them are left out.
 */
export type Needs = { method?: string; firstBlock?: number; firstState?: number; except?: readonly string[] }

/** The endpoints of one chain. */
export type Rpc = {
  chain: Chain
  /**
   * Does a piece of work at one endpoint, so that all its answers come from there. After a fault the next endpoint does
   * it anew. Throws a {@link ChainFault} if no endpoint could.
   */
  at: <T>(work: (node: RpcNode) => Promise<T>, needs?: Needs) => Promise<T>
}

/** No endpoint of a chain could do a piece of work. */
export class ChainFault extends Error {
  /** The last fault of each endpoint. */
  readonly faults: readonly RpcFault[]
  /** The number of endpoints that were not asked, since they are known not to meet the needs of the work. */
  readonly n_left_out: number

  constructor(slug: string, faults: ReadonlyMap<string, RpcFault>, n_left_out = 0) {
    const reasons = [...faults].map(([name, { kind, message }]) => `${name} (${kind}): ${message}`)
    if (n_left_out > 0) reasons.push(`${n_left_out} left out, which lack what is asked`)
    super(`${slug}: no endpoint answered; ${reasons.join('; ') || 'none is left; expected one'}`)
    this.name = 'ChainFault'
    this.faults = [...faults.values()]
    this.n_left_out = n_left_out
  }
}

/** How often all endpoints are tried, by default. A single public endpoint is often busy for some seconds. */
const defaultRounds = 3
const betweenRounds_ms = 2_000
/** Faults that may pass within seconds. */
const passing: ReadonlySet<FaultKind> = new Set(['rate limit', 'lag', 'timeout', 'down', 'check', 'other'])
/** The time for which an endpoint is not asked, by its fault. A few failures in a row also pause it. */
const pause_ms: Partial<Record<FaultKind, number>> = {
  'wrong chain': 600_000,
  unauthorised: 600_000,
  quota: 600_000,
}

type Outcome<T> = { hasFailed: boolean; pause_ms?: number; fault?: RpcFault; value?: T }

/** Makes the reader of a chain. `memory` is that of the process; `get` is that of the unit. */
export function createRpc(
  chain: Chain,
  upstreams: readonly Pick<Host, 'name'>[],
  get: Get,
  memory: RpcMemory,
  rounds = defaultRounds,
): Rpc {
  const { stateOf, failover, timers } = memory

  const tryAt = async <T>(name: string, work: (node: RpcNode) => Promise<T>, needs: Needs): Promise<Outcome<T>> => {
    const node = createNode(name, stateOf(name), get)
    try {
      await assertChain(node, chain)
      return { hasFailed: false, value: await work(node) }
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault
      remember(node, fault, needs)
      return { hasFailed: true, fault, pause_ms: Math.max(fault.pause_ms ?? 0, pause_ms[fault.kind] ?? 0) }
    }
  }

  return {
    chain,
    at: async (work, needs = {}) => {
      const faults = new Map<string, RpcFault>()
      for (let round = 1; ; round++) {
        const names = upstreams
          .map(({ name }) => name)
          .filter((name) => needs.except?.includes(name) !== true && canServe(stateOf(name), needs))
        const n_left_out = upstreams.length - names.length
        if (names.length === 0) throw new ChainFault(chain.slug, faults, n_left_out)
        const { outcome } = await failover(names, async (name) => {
          const tried = await tryAt(name, work, needs)
          if (tried.fault !== undefined) faults.set(name, tried.fault)
          return tried
        })
        if (!outcome.hasFailed) return outcome.value as Awaited<ReturnType<typeof work>>
        const canPass = [...faults.values()].some(({ kind }) => passing.has(kind))
        if (!canPass || round === rounds) throw new ChainFault(chain.slug, faults, n_left_out)
        await timers.sleep(betweenRounds_ms * round)
      }
    },
  }
}

const canServe = (state: EndpointState, { method, firstBlock, firstState }: Needs): boolean =>
  (method === undefined || !state.without.has(method)) &&
  (firstBlock === undefined || firstBlock >= state.firstBlock) &&
  (firstState === undefined || firstState >= state.firstState)

/** An endpoint without a method, old blocks or old states lacks them for the life of the process. */
function remember({ state }: RpcNode, { kind }: RpcFault, { method, firstBlock, firstState }: Needs): void {
  if (kind === 'method' && method !== undefined) state.without.add(method)
  if (kind !== 'history') return
  if (firstBlock !== undefined) state.firstBlock = Math.max(state.firstBlock, firstBlock + 1)
  if (firstState !== undefined) state.firstState = Math.max(state.firstState, firstState + 1)
}

/**
 * Asks the id of the chain once: on Solana the hash of its first block. A provider may serve another chain at a changed
 * address.
 */
async function assertChain({ state, call, name }: RpcNode, { id, kind, slug }: Chain): Promise<void> {
  if (state.isOfChain) return
  const isSolana = kind === 'solana'
  const expected = isSolana ? solanaGenesis : id
  const answered = isSolana
    ? await call({ method: 'getGenesisHash', params: [], shape: z.string() })
    : await call({ method: 'eth_chainId', params: [], shape: safeQuantity })
  if (answered !== expected)
    throw new RpcFault('wrong chain', `${name}: chain id ${answered}; expected ${expected}, the id of ${slug}`)
  state.isOfChain = true
}
