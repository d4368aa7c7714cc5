import type { ReadResult, RejectedRow, RowsOrColumns } from '#ingest/source.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { openCollection, type Collection } from '#sources/evm/collection.ts'
import { knownEmitters } from '#sources/evm/known_emitters.ts'
import { addMined, addTransaction, readLog } from '#sources/evm/wire.ts'
import { SECOND, type Micros } from '#time.ts'

import type { RawBlock, RawHead, ReadBlock } from './raw_block.ts'

/** The rows of a unit, from its blocks alone. Blocks may come in any order; each is needed only while it is added. */
export type Facts = {
  /** Adds a block that was kept as text. */
  add: (block: RawBlock) => void
  /** Adds a block that was read now, with the same rows. */
  addRead: (block: ReadBlock) => void
  result: (head: RawHead) => ReadResult<RowsOrColumns>
}

/**
 * Collects the rows of the blocks before `to`. The last block has a row also without a swap: its hash shows the fork
 * that was read.
 */
export function openFacts(chain: Chain, to: number): Facts {
  const collection = openCollection(knownEmitters(chain))
  const rejected: { block: number; rows: RejectedRow[] }[] = []
  const addBlock = <T>(
    { block, hash, parent_hash, time_s, logs }: Omit<RawBlock, 'transactions'>,
    transactions: readonly T[],
    addOne: (into: Collection, at: { chain: string; ts: Micros }, one: T) => void,
  ): void => {
    const at = { chain: chain.slug, ts: time_s * SECOND }
    if (transactions.length > 0 || logs.length > 0 || block === to - 1)
      collection.addBlock({ ...at, block, hash, parent_hash })
    for (const one of transactions) addOne(collection, at, one)
    for (const { tx, tx_index, log: body } of logs) {
      const log = readLog(body)
      if (log !== undefined) collection.addLog(log, { ...at, block, tx, tx_index, log_index: log.log_index })
    }
    const rows = collection.rejected.splice(0)
    if (rows.length > 0) rejected.push({ block, rows })
  }
  const result = ({ incomplete }: RawHead): ReadResult<RowsOrColumns> => {
    const n_ignored = collection.n_ignored()
    const ignored = n_ignored === 0 ? '' : `; ${n_ignored} malformed logs of unknown contracts are ignored`
    return {
      rows: collection.rows(),
      rejected: rejected.toSorted((a, b) => a.block - b.block).flatMap(({ rows }) => rows),
      to,
      ...(incomplete === undefined
        ? { state: 'complete', proof: `hashes, indexes and bloom filters agree${ignored}` }
        : { state: 'unverified', reason: incomplete }),
    }
  }
  return {
    add: (block) => addBlock(block, block.transactions, addTransaction),
    addRead: (block) => addBlock(block, block.mined, addMined),
    result,
  }
}
