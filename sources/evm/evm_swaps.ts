import { createRateLimiter, type RateLimiter } from '#ingest/http/rate_limiter.ts'
import { defineSource, type PlanContext, type PlannedSource } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { chainSettings, dueUnits, paramsOf } from '#sources/block_units.ts'

import { createBlockFinder, type BlockFinder } from './blocks/find_block.ts'
import { assertClosedUnits, DeepReorganization } from './blocks/forks.ts'
import { readBodies } from './blocks/raw_block.ts'
import { readUnitBlocks } from './blocks/read_unit_blocks.ts'
import { openUnitRows } from './blocks/unit_rows.ts'
import { readWatermark } from './rpc/blocks.ts'
import { evmParts, rpcOf } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'
import type { Rpc } from './rpc/rpc.ts'

const name = 'evm_swaps'

/** The swaps of EVM chains over JSON-RPC. `memory` has the limits and circuit breakers of endpoints. */
export function evmSwapsOf(memory: RpcMemory): PlannedSource<typeof chainSettings> {
  const blockAt = createBlockFinder()
  // The first block of the unit at which a chain stopped, by its slug. Later units wait until that unit is read.
  const stopped = new Map<string, number>()
  const turns = new Map<string, RateLimiter>()
  const turnsOf = (chain: string): RateLimiter => {
    const limiter = turns.get(chain) ?? createRateLimiter(unitsAtOnce, memory.timers)
    turns.set(chain, limiter)
    return limiter
  }
  return defineSource({
    name,
    doc:
      'The swaps and fills of EVM chains, and the transactions that hold them, over JSON-RPC. A unit is a range of ' +
      'blocks: its logs by their topics, from any contract, then each transaction of a swap with its receipt, which ' +
      'has all token transfers of the transaction. The creations of pools are read alike. The logs agree with all ' +
      'headers. Each block is proved to have no other wanted log, by its bloom filter, its receipts or a second ' +
      'endpoint; otherwise its unit is *unverified*. Blocks that are not final are read again as the head moves, and ' +
      'a reorganization is a rewrite.',
    parts: evmParts,
    datasets: ['blocks', 'transactions', 'swaps', 'transfers', 'user_operations', 'pools'],
    unit: 'blocks',
    precedence: 1,
    lag_s: 0,
    settle_s: 0,
    grid_s: 30,
    follow: { group: 'swaps' },
    settings: chainSettings,
    typical: { requests: 50, rows: 5_000, bytes: 40_000_000 },
    watermark: (part, { get }) => readWatermark(rpcOf(part, get, memory)),
    plan: async (context) => {
      const rpc = rpcOf(context.part, context.get, memory)
      if (!context.refresh) await assertClosedUnits(rpc, { ...context, source: name })
      const last = stopped.get(context.part.name) ?? Infinity
      return (await planUnits(rpc, context, blockAt)).filter(({ from }) => context.refresh || from <= last)
    },
    read: (unit, context) =>
      turnsOf(unit.part).run(async () => {
        const rpc = rpcOf(context.part, context.get, memory)
        const read = await readUnitBlocks(rpc, unit, context).catch((error: unknown) => {
          if (error instanceof DeepReorganization) stopped.set(unit.part, unit.from)
          throw error
        })
        if (stopped.get(unit.part) === unit.from) stopped.delete(unit.part)
        return read ?? 'unchanged'
      }),
    reparse: (unit, bodies, { part, until }) => {
      const { head, blocks } = readBodies(bodies)
      const rows = openUnitRows(findChain(part.name), Math.min(unit.to ?? until, until))
      for (const block of blocks) rows.add(block)
      return rows.result(head)
    },
  })
}

export const evmSwaps = evmSwapsOf(processMemory)

/**
 * The units of a chain that are read at once, at any rate of requests. A unit of a busy chain holds tens of megabytes,
 * and the garbage collector copies all that is held.
 */
const unitsAtOnce = { requestsPer10s: Infinity, concurrency: 4 }

/** The units of an interval. A chain that is read whole says so in its units. */
async function planUnits(rpc: Rpc, context: PlanContext<typeof chainSettings>, blockAt: BlockFinder): Promise<Unit[]> {
  const { chain } = rpc
  const first = await blockAt(rpc, context.from, context.watermark)
  const end = await blockAt(rpc, context.to, context.watermark)
  return dueUnits({ source: name, chain, first, end, params: paramsOf(chain, context) }, context)
}
