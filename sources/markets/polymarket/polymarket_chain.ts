import { z } from 'zod'

import type { Settings } from '#ingest/setting.ts'
import { defineSource, type PlanContext, type PlannedSource } from '#ingest/source.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { dueUnits } from '#sources/block_units.ts'
import { createChainReader } from '#sources/evm/blocks/chain_reader.ts'
import { createBlockFinder } from '#sources/evm/blocks/find_block.ts'
import { readWatermark } from '#sources/evm/rpc/blocks.ts'
import { processMemory, type RpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { chainPart } from '#sources/evm/rpc/endpoints.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { bytes } from '#sources/evm/rpc/shapes.ts'

import { openChainRows } from './chain/chain_rows.ts'
import { contracts } from './chain/contracts.ts'
import { chainFilter } from './chain/decode_events.ts'
import { unitSize } from './chain/unit_size.ts'
import { VENUE } from './wire/types.ts'

const name = 'polymarket_chain'

const settings = {
  follow: {
    name: 'TAPELINE_POLYMARKET_CHAIN',
    shape: z.enum(['off', 'on'], 'expected `on` or `off`').default('off'),
    doc: 'Whether a follow reads Polymarket from Polygon, at the nodes of `RPC_POLYGON`: `on` or `off`',
  },
} satisfies Settings

/** Polymarket from the logs of Polygon. `memory` has the limits and circuit breakers of endpoints. */
export function polymarketChainOf(memory: RpcMemory): PlannedSource<typeof settings> {
  const blockAt = createBlockFinder()
  const reader = createChainReader(name, memory, { filter: chainFilter, openRows: openChainRows })
  return defineSource({
    name,
    doc:
      'All trades and movements of shares, for every account at once, from the logs of Polygon: the exchanges V1, V2 ' +
      'and V3, the conditional tokens, the neg-risk adapter, the fee modules and the pools of 2020 to 2023. A fill is ' +
      'one `OrderFilled`, with its role, its actual cash, and its fee less what the fee module gave back. Splits, ' +
      'merges, redemptions, conversions with their index set, transfers between wallets, and migrations are rows of ' +
      '`activity`; conditions with their tokens, the owners of wallets, and pools, have datasets of their own. The logs of ' +
      'matches and trades that exchanges, pools and adapters emit for a wallet count once, for the wallet. An event ' +
      'whose wallet no transfer of its transaction names is rejected. Blocks are read and proved as those of ' +
      '`evm_swaps`. Units of early years have more blocks, since they have few logs.',
    parts: [{ ...chainPart(findChain('polygon')), name: VENUE }],
    datasets: ['blocks', 'fills', 'activity', 'resolutions', 'conditions', 'wallet_owners', 'venue_contracts'],
    unit: 'blocks',
    precedence: 40,
    lag_s: 0,
    settle_s: 0,
    grid_s: 30,
    follow: { group: 'chain' },
    settings,
    typical: { requests: 40, rows: 15_000, bytes: 30_000_000 },
    watermark: (part, { get }) => readWatermark(reader.rpc({ part, get })),
    plan: async (context: PlanContext<typeof settings>) => {
      // A follow has a plan with open units; a backfill names the source.
      if (context.includeOpen && context.settings.follow === 'off') return []
      return reader.readable(context, async () => {
        const rpc = reader.rpc(context)
        await assertContract(rpc)
        const first = await blockAt(rpc, context.from, context.watermark)
        const end = await blockAt(rpc, context.to, context.watermark)
        const interval = { source: name, chain: rpc.chain, first, end, params: [], part: VENUE, sizeAt: unitSize }
        return dueUnits(interval, context)
      })
    },
    read: (unit, context) => reader.read(unit, context),
    reparse: (unit, bodies, context) => reader.reparse(bodies, context, unit.to),
  })
}

/**
 * A chain without the venue's contract, such as a private one with the id of Polygon, would be read as one without a
 * trade, and its blocks would replace what the API of the venue has.
 */
const assertContract = (rpc: Rpc): Promise<void> =>
  rpc.at(async (node) => {
    const code = await node.call({ method: 'eth_getCode', params: [contracts.ctf, 'latest'], shape: bytes })
    if (code === '0x')
      throw new RpcFault('wrong chain', `${node.name}: no contract at ${contracts.ctf}; expected that of Polymarket`)
  })

export const polymarketChain = polymarketChainOf(processMemory)
