import type { RejectedRow } from '#activities/source.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { ColumnBatch } from '#lake/units/column_batch.ts'

import { decodeLog, type RawLog } from './decode/index.ts'
import { openRows, openSwaps, openTransfers, type Place } from './tables.ts'

/** The facts of a unit as columns, and its rejected rows. */
export type Collection = {
  /** Decodes a log and adds its row. A log that was added before is skipped, since pages may overlap. */
  addLog: (log: RawLog, place: Place) => void
  addTransaction: (place: Place, row: Record<string, unknown>) => void
  reject: (row: RejectedRow) => void
  rows: () => Record<'transactions' | 'swaps' | 'transfers' | 'user_operations' | 'pools', ColumnBatch>
  rejected: RejectedRow[]
}

const open = (dataset: 'transactions' | 'user_operations' | 'pools') => openRows(Object.keys(datasets[dataset].columns))

/** Collects rows as columns: hundreds of thousands of swaps cost half of what they cost as objects. */
export function openCollection(): Collection {
  const [swaps, transfers] = [openSwaps(), openTransfers()]
  const [transactions, user_operations, pools] = [open('transactions'), open('user_operations'), open('pools')]
  const rejected: RejectedRow[] = []
  const isNew = openSeen()
  return {
    addTransaction: transactions.push,
    addLog: (log, place) => {
      if (!isNew(place)) return
      const decoded = decodeLog(log)
      if (decoded === undefined) return
      const { chain, block, tx, log_index, ts } = place
      if (decoded.dataset === 'swaps') swaps.push(place, decoded.row)
      else if (decoded.dataset === 'transfers') transfers.push(place, decoded.row)
      else if (decoded.dataset === 'user_operations') user_operations.push(place, decoded.row)
      else if (decoded.dataset === 'pools')
        pools.push(place, { ...decoded.row, seen_at: ts, created_at: ts, created_tx: tx })
      else {
        const path = `${chain}/${block}/${tx}/${log_index}`
        rejected.push({ dataset: decoded.of, path, reason: decoded.reason, body: log })
      }
    },
    reject: (row) => rejected.push(row),
    rows: () => ({
      transactions: transactions.batch(),
      swaps: swaps.batch(),
      transfers: transfers.batch(),
      user_operations: user_operations.batch(),
      pools: pools.batch(),
    }),
    rejected,
  }
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
