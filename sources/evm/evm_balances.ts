import { isFirstOfDay } from '#ingest/change_rows.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource, type PlanContext, type ReadResult, type PlannedSource } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { addressKind } from '#registry/chains/address_kind.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { gridInstant, SECOND, type Micros } from '#time.ts'

import { readBalancesAt, type BalanceReading } from './balances/balances_at.ts'
import { balancesToRead } from './balances/balances_to_read.ts'
import { followedWallets, mostFollowed } from './balances/followed_wallets.ts'
import { active_days, largestWallets, mostWallets, volume_days } from './balances/largest_wallets.ts'
import { lastStoredBlock, observing } from './blocks/plan_observations.ts'
import { readWatermark } from './rpc/blocks.ts'
import { evmParts, rpcOf } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'

const name = 'evm_balances'

const settings = {
  wallets: {
    name: 'TAPELINE_EVM_WALLETS',
    shape: nameList(/^0x[0-9a-f]{40}$/i, '0xd8da6bf26964af9d7eed9e03e53415d37aa96045').transform((wallets) =>
      wallets.map((wallet) => wallet.toLowerCase()),
    ),
    doc: 'Wallets whose balances are read each day on each chain that is read, separated by commas',
  },
} satisfies Settings

/** The balances of the wallets of chains at one block, once a day. */
export function evmBalancesOf(memory: RpcMemory): PlannedSource<typeof settings> {
  return defineSource({
    name,
    doc:
      'The balances of wallets, once in a UTC day: of those that `TAPELINE_EVM_WALLETS` names, of the ' +
      `${mostFollowed} of watchlists and alerts that were read the longest ago, and of the ` +
      `${mostWallets} largest of each chain whose last swap is at most ${active_days} days old, by the dollars and the ` +
      `coins that they moved in the swaps of ${volume_days} days. Read are the coin, its contract, the dollars, and ` +
      'the tokens that a wallet moved in stored transactions, the last 200. All are of one final block that ' +
      '`evm_swaps` has read, by `eth_call` through Multicall3 where the chain has it, else in batches. Each node ' +
      'that is asked has the block with the same hash. A contract that reverts or answers with less than a word ' +
      'gives no balance, and the proof counts these. A balance of 0 is a row. If all endpoints lack the state of the ' +
      'block, the unit is unavailable until the next day.',
    parts: evmParts,
    datasets: ['balances'],
    ...observing,
    settings,
    typical: { requests: 50, rows: 4_000, bytes: 2_000_000 },
    plan,
    read: async (unit, { part, get, lake }) => {
      const rpc = rpcOf(part, get, memory)
      const { final } = await readWatermark(rpc)
      // The lots are compared with the balances, so they are known up to the block.
      const block = Math.min(final - 1, await lastStoredBlock(lake, unit.part))
      const reading = await readBalancesAt(rpc, await balancesToRead(lake, rpc.chain, unit.params), block)
      if (reading !== undefined) return { ...resultOf(unit, reading), bodies: [JSON.stringify(reading)] }
      const reason = `no endpoint has the state of block ${block}`
      return { rows: { balances: [] }, rejected: [], state: 'unavailable', reason }
    },
    // The body is our own text, whose tokens and wallets follow from the lake.
    reparse: (unit, [body]) => {
      if (body === undefined) throw new Error(`unit of ${unit.part}: no raw body; expected the body of its reading`)
      return resultOf(unit, JSON.parse(body) as BalanceReading)
    },
  })
}

export const evmBalances = evmBalancesOf(processMemory)

function resultOf({ part, params }: Unit, { block, time_s, held, n_unread }: BalanceReading): ReadResult {
  const seen_at = time_s * SECOND
  const unread = n_unread === 0 ? '' : `; the contracts of ${n_unread} gave none`
  return {
    rows: {
      balances: held.map(({ wallet, token, raw }) => ({
        chain: part,
        address: wallet,
        token,
        seen_at,
        block,
        amount: BigInt(raw),
      })),
    },
    rejected: [],
    state: 'complete',
    proof: `${held.length} balances of ${params.length} wallets after block ${block}${unread}`,
  }
}

/** One unit a day. A chain without stored swaps has no wallets. */
async function plan(context: PlanContext<typeof settings>): Promise<Unit[]> {
  const { at, part, lake, refresh } = context
  const from = gridInstant(at, observing.grid_s)
  if (!refresh && !(await isFirstOfDay(lake, { name, part: part.name }, from))) return []
  if ((await lastStoredBlock(lake, part.name)) === 0) return []
  const params = await walletsOf(context, from)
  if (params.length === 0) return []
  return [unitOf({ name, unit: 'observation', part: part.name }, { from, to: from, params })]
}

/** The wallets to read, each once: the named, the largest, and of the followed others those whose turn it is. */
async function walletsOf(
  { lake, part, followed, settings: { wallets } }: PlanContext<typeof settings>,
  at: Micros,
): Promise<string[]> {
  const always = new Set([...wallets, ...(await largestWallets(lake, findChain(part.name), at))])
  const others = (await followed()).filter((address) => addressKind(address) === 'evm' && !always.has(address))
  return [...always, ...(await followedWallets(lake, part.name, others))]
}
