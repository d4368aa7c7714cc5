import { openCollection } from '#activities/chains/evm/collection.ts'
import { knownEmitters } from '#activities/chains/evm/known_emitters.ts'
import { addTransaction, readLog } from '#activities/chains/evm/wire.ts'
import type { PullResult, RowsOrColumns } from '#activities/source.ts'
import type { Chain } from '#chains/chain.ts'
import { SECOND } from '#time.ts'

import type { RawBlock, RawHead } from './raw_block.ts'

/**
 * The rows of a unit, from its blocks alone. The last block has a row also without a swap: its hash shows the fork that
 * was read. `to` is the exclusive end of the reading.
 */
export function factsOf(
  chain: Chain,
  { incomplete }: RawHead,
  blocks: readonly RawBlock[],
  to: number,
): PullResult<RowsOrColumns> {
  const collection = openCollection(knownEmitters(chain))
  for (const { block, hash, parent_hash, time_s, transactions, logs } of blocks) {
    const at = { chain: chain.slug, ts: time_s * SECOND }
    if (transactions.length > 0 || logs.length > 0 || block === to - 1)
      collection.addBlock({ ...at, block, hash, parent_hash })
    for (const one of transactions) addTransaction(collection, at, one)
    for (const { tx, tx_index, log: body } of logs) {
      const log = readLog(body)
      if (log !== undefined) collection.addLog(log, { ...at, block, tx, tx_index, log_index: log.log_index })
    }
  }
  const { rejected } = collection
  const n_ignored = collection.n_ignored()
  const ignored = n_ignored === 0 ? '' : `; ${n_ignored} malformed logs of unknown contracts are ignored`
  return {
    rows: collection.rows(),
    rejected,
    to,
    ...(incomplete === undefined
      ? { state: 'complete', proof: `hashes, indexes and bloom filters agree${ignored}` }
      : { state: 'unverified', reason: incomplete }),
  }
}
