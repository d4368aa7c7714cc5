import type { RejectedRow } from '#ingest/source.ts'
import type { ColumnBatch } from '#lake/units/column_batch.ts'
import { openTable, valueNames, type Place } from '#sources/chain_table.ts'
import { decodeLog } from '#sources/evm/decode/decode_log.ts'
import type { DecodeLog } from '#sources/evm/decode/event/compile.ts'
import type { RawLog } from '#sources/evm/decode/event/decoder.ts'
import type { Micros } from '#time.ts'

import { parseLog, parseTransaction } from './parse_transaction.ts'
import type { RawTransaction } from './raw_block.ts'

/** The rows of a unit as columns, and its rejected rows. */
export type SwapBatch = {
  /** Decodes a log and adds its row. A log that was added before is skipped, since pages may overlap. */
  addLog: (log: RawLog, place: Place) => void
  /**
   * Adds a transaction with its receipt: its fee, and each log that is a fact. Logs may come in any order. A malformed
   * log is rejected; a malformed transaction is rejected as a whole.
   */
  addTransaction: (at: { chain: string; ts: Micros }, body: RawTransaction) => void
  addBlock: (block: { chain: string; block: number; ts: Micros; hash: string; parent_hash: string }) => void
  rows: () => Record<'blocks' | 'transactions' | 'swaps' | 'transfers' | 'user_operations' | 'pools', ColumnBatch>
  rejected: RejectedRow[]
  /** Logs of unknown contracts that contradict their event. */
  n_ignored: () => number
}

/**
 * Collects the rows of a unit. Any contract can emit a known topic with other data. Only of the contracts in
 * `emitters` such a log is rejected; of others it is no event, and is counted.
 */
export function openSwapBatch(emitters: ReadonlySet<string>, decode: DecodeLog = decodeLog): SwapBatch {
  const blocks = openTable('blocks')
  const transactions = openTable('transactions')
  const facts = {
    swaps: openTable('swaps'),
    transfers: openTable('transfers'),
    user_operations: openTable('user_operations'),
  }
  const pools = openCreations()
  const rejected: RejectedRow[] = []
  let n_ignored = 0
  const isNew = openSeen()

  const addLog = (log: RawLog, place: Place): void => {
    if (!isNew(place)) return
    const decoded = decode(log)
    if (decoded === undefined) return
    if (decoded.dataset === 'pools') pools.add(place, decoded.values)
    else if (decoded.dataset !== 'rejected') facts[decoded.dataset].pushValues(place, decoded.values)
    else if (!emitters.has(log.address)) n_ignored += 1
    else {
      const { chain, block, tx, log_index } = place
      const path = `${chain}/${block}/${tx}/${log_index}`
      const { address, topics, data } = log
      rejected.push({
        dataset: decoded.target,
        path,
        reason: decoded.reason,
        body: { address, topics, data, log_index },
      })
    }
  }

  return {
    addLog,
    addTransaction: ({ chain, ts }, body) => {
      const parsed = parseTransaction(body)
      if ('reason' in parsed) {
        rejected.push({ dataset: 'transactions', path: chain, reason: parsed.reason, body })
        return
      }
      const { block, tx_index, tx, row, logs } = parsed
      transactions.push({ chain, block, tx_index, tx, log_index: -1, ts }, row)
      for (const item of logs) {
        const log = parseLog(item)
        // Written out, because a spread of each log costs more than its decoding.
        if (log !== undefined) addLog(log, { chain, block, tx_index, tx, log_index: log.log_index, ts })
        else rejected.push({ dataset: 'swaps', path: `${chain}/${block}/${tx}`, reason: 'log: no hex', body: item })
      }
    },
    addBlock: ({ chain, block, ts, hash, parent_hash }) =>
      blocks.push(
        { chain, block, ts, tx: '', tx_index: -1, log_index: -1 },
        { is_exact: true, hash, parent_block: block - 1, parent_hash },
      ),
    rows: () => ({
      blocks: blocks.batch(),
      transactions: transactions.batch(),
      swaps: facts.swaps.batch(),
      transfers: facts.transfers.batch(),
      user_operations: facts.user_operations.batch(),
      pools: pools.batch(),
    }),
    rejected,
    n_ignored: () => n_ignored,
  }
}

/**
 * Collects creations of pools. Several contracts may emit the creation of one pool in one block; each claim counts by
 * itself. Blocks come in any order, and the first creation of an instant counts.
 */
function openCreations(): { add: (place: Place, values: readonly unknown[]) => void; batch: () => ColumnBatch } {
  const names = valueNames('pools')
  const created = new Map<string, { place: Place; row: Record<string, unknown> }>()
  return {
    add: (place, values) => {
      const { tx, ts, block } = place
      const claim: Record<string, unknown> = Object.fromEntries(names.map((name, n) => [name, values[n]]))
      const row = { ...claim, seen_at: ts, created_at: ts, created_tx: tx }
      const key = [claim['pool'], claim['factory'], ts].join(' ')
      if (block < (created.get(key)?.place.block ?? Infinity)) created.set(key, { place, row })
    },
    batch: () => {
      const pools = openTable('pools')
      for (const { place, row } of created.values()) pools.push(place, row)
      return pools.batch()
    },
  }
}

/** Whether a log is new. Logs come mostly block by block, so the indexes of the last block are at hand. */
function openSeen(): (place: Place) => boolean {
  const blocks = new Map<number, Set<number>>()
  let [last, indexes] = [-1, new Set<number>()]
  return ({ block, log_index }) => {
    if (block !== last) {
      indexes = blocks.get(block) ?? new Set()
      blocks.set(block, indexes)
      last = block
    }
    if (indexes.has(log_index)) return false
    indexes.add(log_index)
    return true
  }
}
