import { wholeNumber, type Settings } from '#ingest/setting.ts'
import { defineSource, type PlanContext, type PlannedSource, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, SECOND } from '#time.ts'

import { observing, planObservations } from './blocks/plan_observations.ts'
import { readWatermark } from './rpc/blocks.ts'
import { evmParts, rpcOf } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'
import { ChainFault, type Rpc } from './rpc/rpc.ts'
import type { NativeCall } from './traces/native_calls.ts'
import { readTraces } from './traces/read_traces.ts'
import {
  storedTransactions,
  tracedSince,
  untracedTransactions,
  type StoredTransaction,
} from './traces/transactions_to_trace.ts'

const name = 'evm_traces'

/** The transactions of one unit. A failed unit is read again whole. */
const mostTransactions = 500
/** The transactions by which a plan finds out whether a chain has traces: the newest may be young, or too large. */
const n_tried = 3
/** The time for which a chain without traces is not asked again, and a transaction that no endpoint traces. */
const again = { chain: 600 * SECOND, transaction: DAY } as const

const settings = {
  most: {
    name: 'TAPELINE_TRACES',
    shape: wholeNumber(0, 10_000_000).default(2_000),
    doc: 'The most transactions that a follow traces on a chain in a UTC day, and 0 for none: see [chains](chains.md)',
  },
} satisfies Settings

/** The traces of the transactions whose native coin no row shows. `memory` has the limits of endpoints. */
export function evmTracesOf(memory: RpcMemory): PlannedSource<typeof settings> {
  // The instants until which chains without traces rest, and transactions without one.
  const refused = new Map<string, number>()
  const isOpen = (subject: string, at: number): boolean => at >= (refused.get(subject) ?? 0)
  const planned = async (context: PlanContext<typeof settings>): Promise<Unit[]> => {
    const { part, lake, at, includeOpen, get } = context
    if (!isOpen(part.name, at)) return []
    const most = includeOpen ? await budgetLeft(context) : unlimited
    if (most <= 0) return []
    const rpc = rpcOf(part, get, memory)
    return planObservations({ name, most: mostTransactions }, context, async (_, units) => {
      const { final } = await readWatermark(rpc)
      for (const [subject, until] of refused) if (until <= at) refused.delete(subject)
      const limits = { final, units, most: most + refused.size }
      const untraced = await untracedTransactions(lake, rpc.chain, limits)
      const open = untraced.filter(({ tx }) => isOpen(tx, at)).slice(0, most)
      if (open.length === 0 || (await hasTraces(rpc, open.slice(0, n_tried)))) return open.map(({ tx }) => tx)
      refused.set(part.name, at + again.chain)
      return []
    })
  }
  return defineSource({
    name,
    doc:
      'The calls of the transactions of `evm_swaps` and `evm_accounts` in which native coin may have moved that no row ' +
      'shows, by `debug_traceTransaction` with `callTracer`, or `trace_transaction`. Only final blocks are traced, the ' +
      'accounts that a request named first, then the newest; a follow traces at most `TAPELINE_TRACES` transactions of ' +
      'a chain in a UTC day. The first call is the transaction, and the contract of the wrapped coin got and paid what ' +
      'it logged; a trace that differs is not stored. Where no endpoint serves a method, there are no units.',
    parts: evmParts,
    datasets: ['calls'],
    ...observing,
    settings,
    typical: { requests: 60, rows: 3_000, bytes: 20_000_000 },
    plan: planned,
    read: async (unit, { part, get, lake, at }) => {
      const rpc = rpcOf(part, get, memory)
      const transactions = await storedTransactions(lake, rpc.chain, unit.params)
      const traces = await readTraces(rpc, transactions)
      for (const { tx } of transactions) if (!traces.has(tx)) refused.set(tx, at + again.transaction)
      const bodies = transactions.flatMap((transaction) => {
        const calls = traces.get(transaction.tx)
        return calls === undefined ? [] : [JSON.stringify(bodyOf(transaction, calls))]
      })
      return { ...resultOf(unit, bodies), bodies }
    },
    reparse: resultOf,
  })
}

export const evmTraces = evmTracesOf(processMemory)

const unlimited = 10_000_000

/** The transactions that a follow may still trace on a chain in the UTC day. */
const budgetLeft = async ({ lake, part, at, settings: { most } }: PlanContext<typeof settings>): Promise<number> =>
  most === 0 ? 0 : most - (await tracedSince(lake, part.name, at - (at % DAY)))

/** Whether an endpoint has a trace of one of some transactions. */
async function hasTraces(rpc: Rpc, transactions: readonly StoredTransaction[]): Promise<boolean> {
  try {
    return (await readTraces(rpc, transactions)).size > 0
  } catch (error) {
    if (error instanceof ChainFault && error.faults.some(({ kind }) => kind === 'method')) return false
    throw error
  }
}

/** A traced transaction as text, with its amounts in digits. */
type Body = Pick<StoredTransaction, 'tx' | 'block' | 'tx_index' | 'ts_us'> & {
  calls: { sender: string; recipient: string; amount: string }[]
}

const bodyOf = ({ tx, block, tx_index, ts_us }: StoredTransaction, calls: readonly NativeCall[]): Body => ({
  tx,
  block,
  tx_index,
  ts_us,
  calls: calls.map(({ sender, recipient, amount }) => ({ sender, recipient, amount: amount.toString() })),
})

/** The rows of a unit. The bodies are our own text. */
function resultOf({ part, params, from }: Unit, bodies: readonly string[]): ReadResult {
  const traced = bodies.map((body) => JSON.parse(body) as Body)
  return {
    rows: {
      calls: traced.flatMap(({ calls, tx, block, tx_index, ts_us }) =>
        calls.map(({ sender, recipient, amount }, call_index) => ({
          chain: part,
          block,
          tx_index,
          tx,
          call_index,
          ts: ts_us,
          seen_at: from,
          sender,
          recipient,
          amount: BigInt(amount),
        })),
      ),
    },
    rejected: [],
    state: 'complete',
    proof:
      `${traced.length} of ${params.length} transactions traced; their calls agree with the transactions and with the ` +
      'wraps and unwraps',
  }
}
