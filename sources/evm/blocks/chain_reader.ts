import { createRateLimiter, type RateLimiter } from '#ingest/http/rate_limiter.ts'
import type { PlanContext, ReadContext, ReadResult, RowsOrColumns } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { rpcOf } from '#sources/evm/rpc/chain_parts.ts'
import type { RpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'

import { assertClosedUnits, DeepReorganization } from './forks.ts'
import { readBodies } from './raw_block.ts'
import { readUnitBlocks } from './read_unit_blocks.ts'
import type { WantedLogs } from './wanted_logs.ts'

/** What a source of blocks does with its units, whatever their logs are. */
export type ChainReader = {
  rpc: (context: Pick<ReadContext, 'part' | 'get'>) => Rpc
  /** The units that can be read now. A part whose final block was replaced is read no further, unless refreshed. */
  readable: (context: PlanContext, plan: () => Promise<Unit[]>) => Promise<Unit[]>
  read: (unit: Unit, context: ReadContext) => Promise<ReadResult<RowsOrColumns> | 'unchanged'>
  reparse: (
    bodies: readonly string[],
    context: Pick<ReadContext, 'part' | 'until'>,
    to: number | null,
  ) => ReadResult<RowsOrColumns>
}

/** Makes the reader of a source. `memory` has the limits and circuit breakers of endpoints. */
export function createChainReader(source: string, memory: RpcMemory, wanted: WantedLogs): ChainReader {
  // The first block of the unit at which a part stopped. Later units wait until that unit is read.
  const stopped = new Map<string, number>()
  const turns = new Map<string, RateLimiter>()
  const turnsOf = (part: string): RateLimiter => {
    const limiter = turns.get(part) ?? createRateLimiter(unitsAtOnce, memory.timers)
    turns.set(part, limiter)
    return limiter
  }
  const rpc: ChainReader['rpc'] = ({ part, get }) => rpcOf(part, get, memory)
  return {
    rpc,
    readable: async (context, plan) => {
      const { name: part } = context.part
      if (!context.refresh) await assertClosedUnits(rpc(context), { ...context, source, part })
      const last = stopped.get(part) ?? Infinity
      return (await plan()).filter(({ from }) => context.refresh || from <= last)
    },
    read: (unit, context) =>
      turnsOf(unit.part).run(async () => {
        const read = await readUnitBlocks(rpc(context), unit, context, wanted).catch((error: unknown) => {
          if (error instanceof DeepReorganization) stopped.set(unit.part, unit.from)
          throw error
        })
        if (stopped.get(unit.part) === unit.from) stopped.delete(unit.part)
        return read ?? 'unchanged'
      }),
    reparse: (bodies, { part, until }, to) => {
      const { head, blocks } = readBodies(bodies)
      const rows = wanted.openRows(findChain(part.chain ?? part.name), Math.min(to ?? until, until))
      for (const block of blocks) rows.add(block)
      return rows.result(head)
    },
  }
}

/**
 * The units of a chain that are read at once, at any rate of requests. A unit of a busy chain holds tens of megabytes,
 * and the garbage collector copies all that is held.
 */
const unitsAtOnce = { requestsPer10s: Infinity, concurrency: 4 }
