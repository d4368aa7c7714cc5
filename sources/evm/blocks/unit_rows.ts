import type { ReadResult, RejectedRow } from '#ingest/source.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { knownEmitters, topicsOf } from '#sources/evm/decode/decode_log.ts'
import type { BlockRange } from '#sources/evm/rpc/log_checks.ts'
import { proofs, type Proof } from '#sources/evm/rpc/proof.ts'
import { SECOND } from '#time.ts'

import { parseLog } from './parse_transaction.ts'
import type { RawHead } from './raw_block.ts'
import { openSwapBatch } from './swap_batch.ts'
import type { UnitRows, WantedLogs } from './wanted_logs.ts'

const swapTopics = new Set(topicsOf('swaps'))

/**
 * The logs of swaps and of created pools, from any contract. The transactions of swaps are read with all their logs.
 */
export const swapLogs: WantedLogs = {
  filter: { topics: [...swapTopics, ...topicsOf('pools')], places: swapTopics },
  openRows: openUnitRows,
}

/**
 * Collects the rows of the blocks before `to`. The last block has a row also without a swap: its hash shows the fork
 * that was read.
 */
export function openUnitRows(chain: Chain, to: number): UnitRows {
  const batch = openSwapBatch(knownEmitters(chain))
  const rejected: { block: number; rows: RejectedRow[] }[] = []
  return {
    add: ({ block, hash, parent_hash, time_s, transactions, logs }) => {
      const at = { chain: chain.slug, ts: time_s * SECOND }
      if (transactions.length > 0 || logs.length > 0 || block === to - 1)
        batch.addBlock({ ...at, block, hash, parent_hash })
      for (const transaction of transactions) batch.addTransaction(at, transaction)
      for (const { tx, tx_index, log: body } of logs) {
        const log = parseLog(body)
        if (log !== undefined) batch.addLog(log, { ...at, block, tx, tx_index, log_index: log.log_index })
      }
      const rows = batch.rejected.splice(0)
      if (rows.length > 0) rejected.push({ block, rows })
    },
    result: (head) => {
      const n_ignored = batch.n_ignored()
      const ignored = n_ignored === 0 ? '' : `; ${n_ignored} malformed logs of unknown contracts are ignored`
      return {
        rows: batch.rows(),
        rejected: rejected.toSorted((a, b) => a.block - b.block).flatMap(({ rows }) => rows),
        to,
        ...stateOf(head, ignored),
      }
    },
  }
}

type State = Pick<ReadResult, 'state' | 'proof' | 'reason' | 'reasonCode' | 'gaps'>

/** The state of a unit by the proofs of its blocks. `more` is added to the proof. */
export function stateOf({ proofs: blockProofs, unproved = [], incomplete }: RawHead, more: string): State {
  if (incomplete !== undefined) return { state: 'unverified', reason: incomplete }
  if (unproved.length > 0) {
    const gaps = unproved.map(({ from, to }) => ({ text: textOf(from, to), subject: 'logs' }))
    return { state: 'unverified', reason: reasonOf(unproved), reasonCode: 'unproved', gaps }
  }
  const agree = blockProofs === undefined ? 'hashes, indexes and bloom filters agree' : proofText(blockProofs)
  return { state: 'complete', proof: `${agree}${more}` }
}

const proofText = (blockProofs: readonly Proof[]): string =>
  `hashes and parents agree; logs proved by ${blockProofs.map((proof) => proofs[proof]).join(', ')}`

const textOf = (from: number, to: number): string => (to - from === 1 ? `block ${from}` : `blocks ${from}-${to - 1}`)

function reasonOf(unproved: readonly BlockRange[]): string {
  const [first] = unproved
  if (first === undefined) return ''
  const n = unproved.reduce((sum, { from, to }) => sum + to - from, 0)
  const where = n === first.to - first.from ? textOf(first.from, first.to) : `${n} blocks from ${first.from}`
  return `${where}: no receipts and no second endpoint prove their logs`
}
