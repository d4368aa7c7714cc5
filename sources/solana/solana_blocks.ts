import { createRateLimiter } from '#ingest/http/rate_limiter.ts'
import { defineSource, type PlannedSource } from '#ingest/source.ts'
import { solana } from '#registry/chains/chain.ts'
import { chainSettings, dueUnits, paramsOf, whole } from '#sources/block_units.ts'
import { createBlockFinder } from '#sources/evm/blocks/find_block.ts'
import { processMemory, type RpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { chainPart } from '#sources/evm/rpc/endpoints.ts'

import { addAsText, keptOf, openFacts, type RawBlock } from './blocks/raw_block.ts'
import { readBlocks, readFinalSlot, readSlotTime } from './blocks/read_blocks.ts'
import { solanaRpcOf } from './solana_rpc.ts'

const name = 'solana_blocks'

const proof = 'each block names the one before it, up to the first block after the unit'

/** The blocks of Solana over JSON-RPC. `memory` has the limits and circuit breakers of endpoints. */
export function solanaBlocksOf(memory: RpcMemory): PlannedSource<typeof chainSettings> {
  const slotAt = createBlockFinder(readSlotTime)
  const turns = createRateLimiter(unitsAtOnce, memory.timers)
  return defineSource({
    name,
    doc:
      'The trades of Solana, block by block, over JSON-RPC. A unit is a range of slots: `getBlocks` lists its final ' +
      'blocks, and `getBlock` reads each with all transactions. Those with a call of a program that trades are kept: ' +
      'the movements of their owners, rent, tips, and what pools got and gave. Each block names the one before it, ' +
      'by slot and hash, so that no block is missing and other slots were skipped. Only final blocks are read. A ' +
      'public endpoint serves fewer blocks than the chain makes: this source needs an own endpoint (`RPC_SOLANA`).',
    parts: [chainPart(solana)],
    // Solana has no user operations: flows count blocks where all four datasets are covered.
    datasets: ['blocks', 'transactions', 'swaps', 'transfers', 'user_operations', 'tokens'],
    unit: 'blocks',
    precedence: 2,
    lag_s: 0,
    settle_s: 0,
    grid_s: 30,
    follow: { group: 'swaps' },
    settings: chainSettings,
    typical: { requests: 110, rows: 150_000, bytes: 300_000_000 },
    watermark: async (part, { get }) => {
      const head = (await readFinalSlot(solanaRpcOf(part, get, memory))) + 1
      return { head, final: head }
    },
    plan: async (context) => {
      const rpc = solanaRpcOf(context.part, context.get, memory)
      const first = await slotAt(rpc, context.from, context.watermark)
      const end = await slotAt(rpc, context.to, context.watermark)
      const params = paramsOf(solana, context)
      const units = await dueUnits({ source: name, chain: solana, first, end, params }, context)
      // A unit is read once, when all its slots are final.
      return units.filter(({ to }) => to !== null && to <= context.watermark.head)
    },
    read: (unit, { get, part, until, watermark }) =>
      turns.run(async () => {
        const to = Math.min(unit.to ?? until, until)
        const isWhole = unit.params.includes(whole)
        const facts = openFacts(proof)
        const bodies: string[] = []
        await readBlocks(
          solanaRpcOf(part, get, memory),
          { from: unit.from, to },
          {
            final: watermark.final,
            take: ({ transactions, ...block }) =>
              bodies.push(addAsText(facts, { ...block, transactions: keptOf(transactions, isWhole) })),
          },
        )
        return { ...facts.result(to), bodies }
      }),
    // The bodies are our own text, so only their transactions are checked again.
    reparse: (unit, bodies, { until }) => {
      const facts = openFacts(proof)
      for (const body of bodies) facts.add(JSON.parse(body) as RawBlock)
      return facts.result(Math.min(unit.to ?? until, until))
    },
  })
}

/** Units that are read at once, at any rate of requests: the blocks of one are some hundred megabytes of JSON. */
const unitsAtOnce = { requestsPer10s: Infinity, concurrency: 2 }

export const solanaBlocks = solanaBlocksOf(processMemory)
