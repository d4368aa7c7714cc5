import { topicsOf } from '#sources/evm/decode/decode_log.ts'
import { readTransactions, type WantedTransaction } from '#sources/evm/rpc/blocks.ts'
import { assertHeaders, type BlockRange } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import { readLogs, type LogsReading, type Proof } from '#sources/evm/rpc/logs.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

import { emptyBlock, rawLog, rawTransaction, type BlocksReading, type TakeBlock } from './raw_block.ts'
import { readBusyBlocks } from './read_whole_blocks.ts'

const swapTopics = new Set(topicsOf('swaps'))
// The transactions of swaps are read with all their logs.
const filter = { topics: [...swapTopics, ...topicsOf('pools')], places: swapTopics }

/** A failed request repeats the transactions of one group alone. */
const groupSize = 200

/**
 * Reads a range of blocks: the logs of swaps and of created pools by their topics, then each transaction of a swap with
 * its receipt. Blocks from `final` on may still be replaced, so each of their headers is read, which shows that all
 * answers belong to one fork. Below, only the headers that the logs need are read. Each block is handed on once its
 * transactions are read, so that few are in memory.
 */
export async function readByLogs(
  rpc: Rpc,
  { from, to }: BlockRange,
  take: TakeBlock,
  final: number,
): Promise<BlocksReading> {
  const middle = Math.min(to, Math.max(from, final))
  const ranges: [BlockRange, Proof][] = [
    [{ from, to: middle }, 'blocks with logs'],
    [{ from: middle, to }, 'every block'],
  ]
  let logs: Log[] = []
  const headers = new Map<number, Header>()
  let incomplete: string | undefined
  for (const [range, proof] of ranges) {
    if (range.from === range.to) continue
    const reading: LogsReading = await readLogs(rpc, filter, range, proof)
    logs = logs.concat(reading.logs)
    for (const [block, header] of reading.headers) headers.set(block, header)
    incomplete ??= reading.incomplete
  }
  assertHeaders(headers)
  await takeBlocks(rpc, logs, wantedHeaders(logs, headers, { middle, to }), take)
  return { incomplete }
}

/** The headers of blocks with logs, of all blocks that may be replaced, and of the last block of either range. */
function wantedHeaders(
  logs: readonly Log[],
  headers: ReadonlyMap<number, Header>,
  { middle, to }: { middle: number; to: number },
): Header[] {
  const withLogs = new Set(logs.map(({ block }) => block))
  return [...headers.values()]
    .filter(({ block }) => withLogs.has(block) || block >= middle - 1 || block === to - 1)
    .toSorted((a, b) => a.block - b.block)
}

/** Reads the transactions of swaps, and hands on the blocks with them. It empties `logs`. */
async function takeBlocks(rpc: Rpc, logs: Log[], headers: readonly Header[], take: TakeBlock): Promise<void> {
  const blocks = new Map(headers.map((header) => [header.block, emptyBlock(header)]))
  const wanted = wantedTransactions(logs)
  const withSwap = new Set(wanted.map(({ tx }) => tx))
  for (const log of logs) {
    if (withSwap.has(log.tx)) continue
    blocks.get(log.block)?.logs.push({ tx: log.tx, tx_index: log.tx_index, log: rawLog(log) })
  }
  // The receipts have the other logs again, so the memory of these is free while the receipts are read.
  logs.length = 0
  const rest = await readBusyBlocks(rpc, wanted, headers, (number, mined) => {
    const block = blocks.get(number)
    if (block !== undefined) take({ ...block, transactions: mined.map(rawTransaction) })
    blocks.delete(number)
  })
  for (let at = 0; at < rest.length; at += groupSize) {
    for (const mined of await readTransactions(rpc, rest.slice(at, at + groupSize)))
      blocks.get(mined.receipt.blockNumber)?.transactions.push(rawTransaction(mined))
  }
  for (const block of blocks.values()) take(block)
}

/** The transactions with a swap, in the order of their logs. */
function wantedTransactions(logs: readonly Log[]): WantedTransaction[] {
  type Wanted = WantedTransaction & { log_indexes: number[] }
  const wanted = new Map<string, Wanted>()
  let last: Wanted | undefined
  for (const { tx, block, block_hash, log_index, topics } of logs) {
    if (!swapTopics.has(topics[0] ?? '')) continue
    // The logs of a transaction follow each other.
    const transaction: Wanted = last?.tx === tx ? last : (wanted.get(tx) ?? { tx, block, block_hash, log_indexes: [] })
    transaction.log_indexes.push(log_index)
    if (transaction !== last) wanted.set(tx, transaction)
    last = transaction
  }
  return [...wanted.values()]
}
