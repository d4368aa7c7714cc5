import type { HostName } from '#ingest/http/host.ts'
import { creationKey, creationTopic, deployments, isKey, poolId } from '#sources/evm/decode/uniswap_v4.ts'
import { hexOf } from '#sources/evm/rpc/blocks.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import { logsShape, type Log } from '#sources/evm/rpc/log_shape.ts'
import type { RpcNode } from '#sources/evm/rpc/node.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'

/** A pool by its id, and the end of the blocks in which it was created. */
export type Sought = { pool: string; before: number }

/** The words of the keys that were found, by pool. `n_requests` is the cost, `reason` why some are still unknown. */
export type FoundKeys = { keys: ReadonlyMap<string, string>; n_requests: number; reason?: string }

export type KeySearch = (rpc: Rpc, sought: readonly Sought[]) => Promise<FoundKeys>

/** The requests of one search. A node without limits answers the first one; the rest is the next search's. */
const mostRequests = 100
/** The pools of one filter. Nodes refuse longer ones. */
const mostPools = 100
/** A smaller range that times out shows a slow node, not too large a range. */
const leastSlowRange = 10_000

/**
 * Makes the search for the keys of pools in the events of their creation, from a pool's first known swap down to the
 * first block of the manager, the newest first: most pools trade soon after their creation. An endpoint is asked for
 * the whole range, and for less as it refuses. The search remembers what it found and where it came to, so no range is
 * asked twice.
 */
export function createKeySearch(): KeySearch {
  const reached = new Map<string, number>()
  const keyById = new Map<string, string>()
  const sizes = new Map<HostName, number>()
  return async (rpc, sought) => {
    const deployment = deployments[rpc.chain.slug]
    if (deployment === undefined) return { keys: new Map(), n_requests: 0 }
    const idOf = (pool: string): string => `${rpc.chain.slug} ${pool}`
    const search: Search = {
      manager: deployment.manager,
      placeOf: ({ pool, before }) => reached.get(idOf(pool)) ?? before,
      reach: ({ pool }, block) => void reached.set(idOf(pool), block),
      sizes,
      // A unit that could not be stored asks again.
      keys: new Map(sought.flatMap(({ pool }) => keyById.get(pool) ?? []).map((words) => [poolId(words), words])),
      n_requests: 0,
    }
    const sorted = sought.toSorted((a, b) => search.placeOf(b) - search.placeOf(a) || (a.pool < b.pool ? -1 : 1))
    let reason: string | undefined
    for (let at = 0; at < sorted.length && reason === undefined; at += mostPools) {
      const part = sorted.slice(at, at + mostPools)
      // A test network with the id of a chain may be younger than the manager of the chain.
      const isYounger = part.some(({ before }) => before <= deployment.first_block)
      reason = await searchDown(rpc, search, { part, floor: isYounger ? 0 : deployment.first_block })
    }
    const { keys, n_requests } = search
    for (const [pool, words] of keys) keyById.set(pool, words)
    return { keys, n_requests, ...(reason === undefined ? {} : { reason }) }
  }
}

type Search = {
  manager: string
  /** The end of the blocks that were not searched for a pool. */
  placeOf: (sought: Sought) => number
  reach: (sought: Sought, block: number) => void
  /** The blocks of a range that each endpoint accepted last. */
  sizes: Map<HostName, number>
  keys: Map<string, string>
  n_requests: number
}

/** Searches for pools down to a block. Returns why it stopped before it. */
async function searchDown(
  rpc: Rpc,
  search: Search,
  { part, floor }: { part: readonly Sought[]; floor: number },
): Promise<string | undefined> {
  let to = Math.max(...part.map(search.placeOf))
  while (to > floor) {
    const open = part.filter(({ pool }) => !search.keys.has(pool))
    if (open.length === 0) return undefined
    if (search.n_requests >= mostRequests)
      return `the endpoints refuse larger ranges, so ${mostRequests} requests came to block ${to}`
    const range = { pools: open.map(({ pool }) => pool), floor, to }
    // A search that fails is no failure of the contracts that were read beside it.
    const step = await readDown(rpc, search, range).catch((error: unknown) => {
      if (error instanceof ChainFault) return error.message
      throw error
    })
    if (typeof step === 'string') return step
    for (const log of step.logs) {
      const [pool = '', words] = [log.topics[1], creationKey(log)]
      if (isKey(pool, words)) search.keys.set(pool, words)
    }
    to = step.from
    for (const soughtPool of open) search.reach(soughtPool, Math.min(search.placeOf(soughtPool), to))
  }
  return undefined
}

type Range = { pools: readonly string[]; floor: number; to: number }

/** The creations of pools in the last blocks before `to`: as many blocks as the endpoint accepts. */
const readDown = (rpc: Rpc, search: Search, { pools, floor, to }: Range): Promise<{ from: number; logs: Log[] }> =>
  rpc.at(async (node) => {
    for (;;) {
      const from = Math.max(floor, to - (search.sizes.get(node.name) ?? Infinity))
      try {
        search.n_requests += 1
        return { from, logs: await creationsOf(node, search.manager, { pools, from, to }) }
      } catch (error) {
        const n_blocks = to - from
        const isTooLarge =
          error instanceof RpcFault &&
          (error.kind === 'range' || (error.kind === 'timeout' && n_blocks > leastSlowRange))
        if (!isTooLarge || n_blocks === 1) throw error
        const half = Math.floor(n_blocks / 2)
        search.sizes.set(node.name, error.limit !== undefined && error.limit < n_blocks ? error.limit : half)
      }
    }
  })

const creationsOf = (
  node: RpcNode,
  address: string,
  { pools, from, to }: { pools: readonly string[]; from: number; to: number },
): Promise<Log[]> =>
  node.call({
    method: 'eth_getLogs',
    params: [{ fromBlock: hexOf(from), toBlock: hexOf(to - 1), address, topics: [[creationTopic], [...pools]] }],
    shape: logsShape,
  })
