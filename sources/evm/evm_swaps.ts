import { defineSource, type PlanContext, type PlannedSource } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { chainSettings, dueUnits, paramsOf } from '#sources/block_units.ts'

import { createChainReader } from './blocks/chain_reader.ts'
import { createBlockFinder, type BlockFinder } from './blocks/find_block.ts'
import { swapLogs } from './blocks/unit_rows.ts'
import { readWatermark } from './rpc/blocks.ts'
import { evmParts } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'
import type { Rpc } from './rpc/rpc.ts'

const name = 'evm_swaps'

/** The swaps of EVM chains over JSON-RPC. `memory` has the limits and circuit breakers of endpoints. */
export function evmSwapsOf(memory: RpcMemory): PlannedSource<typeof chainSettings> {
  const blockAt = createBlockFinder()
  const reader = createChainReader(name, memory, swapLogs)
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
    watermark: (part, { get }) => readWatermark(reader.rpc({ part, get })),
    plan: (context: PlanContext<typeof chainSettings>) =>
      reader.readable(context, () => planUnits(reader.rpc(context), context, blockAt)),
    read: (unit, context) => reader.read(unit, context),
    reparse: (unit, bodies, context) => reader.reparse(bodies, context, unit.to),
  })
}

export const evmSwaps = evmSwapsOf(processMemory)

/** The units of an interval. A chain that is read whole says so in its units. */
async function planUnits(rpc: Rpc, context: PlanContext<typeof chainSettings>, blockAt: BlockFinder): Promise<Unit[]> {
  const { chain } = rpc
  const first = await blockAt(rpc, context.from, context.watermark)
  const end = await blockAt(rpc, context.to, context.watermark)
  return dueUnits({ source: name, chain, first, end, params: paramsOf(chain, context) }, context)
}
