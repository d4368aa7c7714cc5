import type { RejectedRow } from '#ingest/source.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { ColumnBatch } from '#lake/units/column_batch.ts'
import type { Micros } from '#time.ts'

import { decodeLog, type RawLog } from './decode/index.ts'
import { openRows, openSwaps, openTransfers, type Place } from './tables.ts'

/** The facts of a unit as columns, and its rejected rows. */
export type Collection = {
  /** Decodes a log and adds its row. A log that was added before is skipped, since pages may overlap. */
  addLog: (log: RawLog, place: Place) => void
  addTransaction: (place: Place, row: Record<string, unknown>) => void
  addBlock: (block: { chain: string; block: number; ts: Micros; hash: string; parent_hash: string }) => void
  reject: (row: RejectedRow) => void
  rows: () => Record<'blocks' | 'transactions' | 'swaps' | 'transfers' | 'user_operations' | 'pools', ColumnBatch>
  rejected: RejectedRow[]
  /** Logs of unknown contracts that contradict their event. */
  n_ignored: () => number
}

const open = (dataset: 'blocks' | 'transactions' | 'user_operations' | 'pools') =>
  openRows(Object.keys(datasets[dataset].columns))

/**
 * Collects rows as columns: hundreds of thousands of swaps cost half of what they cost as objects. Any contract can
 * emit a known topic with other data. Only of the `known` contracts such a log is rejected; of others it is no event,
 * and is counted.
 */
export function openCollection(known: ReadonlySet<string>): Collection {
  const [swaps, transfers] = [openSwaps(), openTransfers()]
  const [blocks, transactions, user_operations] = [open('blocks'), open('transactions'), open('user_operations')]
  const rejected: RejectedRow[] = []
  let n_ignored = 0
  const isNew = openSeen()
  const created = new Map<string, { place: Place; row: Record<string, unknown> }>()
  return {
    addTransaction: transactions.push,
    addLog: (log, place) => {
      if (!isNew(place)) return
      const decoded = decodeLog(log)
      if (decoded === undefined) return
      const { chain, block, tx, log_index, ts } = place
      if (decoded.dataset === 'swaps') swaps.push(place, { event: decoded.row, emitter: log.address })
      else if (decoded.dataset === 'transfers') transfers.push(place, decoded.row)
      else if (decoded.dataset === 'user_operations') user_operations.push(place, decoded.row)
      else if (decoded.dataset === 'pools') {
        // Several contracts may emit the creation of one pool in one block; each claim counts by itself. Blocks come in
        // any order, and the first creation of an instant counts.
        const key = `${decoded.row.pool} ${decoded.row.factory} ${ts}`
        const first = created.get(key)?.place.block ?? Infinity
        const row = { ...decoded.row, seen_at: ts, created_at: ts, created_tx: tx }
        if (block < first) created.set(key, { place, row })
      } else if (!known.has(log.address)) n_ignored += 1
      else {
        const path = `${chain}/${block}/${tx}/${log_index}`
        const { address, topics, data } = log
        rejected.push({ dataset: decoded.of, path, reason: decoded.reason, body: { address, topics, data, log_index } })
      }
    },
    addBlock: ({ chain, block, ts, hash, parent_hash }) =>
      blocks.push(
        { chain, block, ts, tx: '', tx_index: -1, log_index: -1 },
        { is_exact: true, hash, parent_block: block - 1, parent_hash },
      ),
    reject: (row) => rejected.push(row),
    rows: () => ({
      blocks: blocks.batch(),
      transactions: transactions.batch(),
      swaps: swaps.batch(),
      transfers: transfers.batch(),
      user_operations: user_operations.batch(),
      pools: poolsOf([...created.values()]),
    }),
    rejected,
    n_ignored: () => n_ignored,
  }
}

function poolsOf(created: readonly { place: Place; row: Record<string, unknown> }[]): ColumnBatch {
  const pools = open('pools')
  for (const { place, row } of created) pools.push(place, row)
  return pools.batch()
}

/** Whether a log is new. Logs come mostly block by block, so the indexes of the last block are at hand. */
function openSeen(): (place: Place) => boolean {
  const blocks = new Map<number, Set<number>>()
  let [last, indexes] = [-1, new Set<number>()]
  return ({ block, log_index }) => {
    if (block !== last) {
      const known = blocks.get(block) ?? new Set()
      blocks.set(block, known)
      ;[last, indexes] = [block, known]
    }
    if (indexes.has(log_index)) return false
    indexes.add(log_index)
    return true
  }
}
