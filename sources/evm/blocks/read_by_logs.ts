import { readTransactions, type WantedTransaction } from '#sources/evm/rpc/blocks.ts'
import type { BlockRange, LogFilter } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import { readLogs, type LogsReading } from '#sources/evm/rpc/logs.ts'
import type { Proof } from '#sources/evm/rpc/proof.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

import { blocksOfTwoEndpoints, byBlock, proveByReceipts, type LogsByBlock, type ProvedBlock } from './prove_blocks.ts'
import { emptyBlock, rawLog, rawTransaction, type BlocksReading, type TakeBlock } from './raw_block.ts'

/** A failed request repeats the transactions of one group alone. */
const groupSize = 200

/**
 * Reads a range of blocks: the logs of a filter, with all headers. The transactions with a log of its `places` are read
 * with all their logs. A block whose header does not show that it has no such log is proved by its receipts, or by a second endpoint. What nothing proves
 * is read as the range has it, and is named. Each block is handed on once it is read, so that few are in memory. Blocks
 * from `final` on may still be replaced, so each of them is handed on.
 */
export async function readByLogs(
  rpc: Rpc,
  { from, to }: BlockRange,
  { filter, final }: { filter: LogFilter; final: number },
  take: TakeBlock,
): Promise<BlocksReading> {
  const { logs: all, ...reading } = await readLogs(rpc, filter, { from, to })
  const logs = byBlock(all)
  const middle = Math.min(to, Math.max(from, final))
  const takeIfKept: TakeBlock = (block) => {
    const isEmpty = block.transactions.length === 0 && block.logs.length === 0
    if (!isEmpty || block.block >= middle - 1 || block.block === to - 1) take(block)
  }
  const isOpen = new Set(reading.open.map(({ block }) => block))
  for (const header of reading.headers.values()) if (!isOpen.has(header.block)) takeIfKept(emptyBlock(header))
  const proofs = new Set<Proof>(isOpen.size < reading.headers.size ? ['empty'] : [])
  const takeProved = ({ header, mined, logs: others, proof }: ProvedBlock): void => {
    proofs.add(proof)
    // The receipts have its logs again, and a unit of a busy chain has hundreds of thousands.
    logs.delete(header.block)
    takeIfKept({ ...emptyBlock(header), transactions: mined.map(rawTransaction), logs: others.map(rawLogOf) })
  }
  const unproved = await prove(rpc, reading, { filter, logs, takeProved, proofs })
  await takeUnproved(rpc, unproved.rest, { filter, logs }, takeIfKept)
  return { proofs: [...proofs], unproved: rangesOf(unproved.open) }
}

type Shown = { filter: LogFilter; logs: LogsByBlock }
type Proving = Shown & { takeProved: (block: ProvedBlock) => void; proofs: Set<Proof> }

/**
 * Proves the blocks that are open. Returns those that receipts do not prove (`rest`), and those that nothing does
 * (`open`). Receipts of a block with few wanted transactions among many take the most bytes, so a second endpoint
 * comes first there.
 */
async function prove(
  rpc: Rpc,
  { open, ...reading }: Omit<LogsReading, 'logs'>,
  { filter, logs, takeProved, proofs }: Proving,
): Promise<{ rest: Header[]; open: Header[] }> {
  const isCheap = new Set(open.filter((header) => hasFewOthers(header, logs.get(header.block))))
  const cheap = await proveByReceipts(rpc, filter, { open: [...isCheap], logs, by: 'any' }, takeProved)
  const rest = [...cheap, ...open.filter((header) => !isCheap.has(header))]
  const same = await blocksOfTwoEndpoints(rpc, filter, reading, { open: rest, logs })
  if (same.size > 0) proofs.add('endpoints')
  const dear = rest.filter((header) => !same.has(header.block) && !isCheap.has(header))
  const left = await proveByReceipts(rpc, filter, { open: dear, logs, by: 'block' }, takeProved)
  const isLeft = new Set([...cheap, ...left].map(({ block }) => block))
  return {
    rest: rest.filter(({ block }) => same.has(block) || isLeft.has(block)),
    open: rest.filter(({ block }) => !same.has(block) && isLeft.has(block)),
  }
}

/**
 * The receipts of a block are one call, but are of all other transactions too. They come first for up to so many of
 * them for each wanted one.
 */
const mostOthers = 16

function hasFewOthers({ n_transactions }: Header, logs: readonly Log[] = []): boolean {
  const n_wanted = new Set(logs.map(({ tx }) => tx)).size
  return (n_transactions ?? 0) <= mostOthers * Math.max(1, n_wanted)
}

const rawLogOf = (log: Log) => ({ tx: log.tx, tx_index: log.tx_index, log: rawLog(log) })

/** Hands on blocks as the range has them, with the transactions of swaps and their receipts. */
async function takeUnproved(
  rpc: Rpc,
  headers: readonly Header[],
  { filter, logs }: Shown,
  take: TakeBlock,
): Promise<void> {
  const shown = headers.flatMap(({ block }) => logs.get(block) ?? [])
  const wanted = wantedTransactions(shown, filter)
  const withSwap = new Set(wanted.map(({ tx }) => tx))
  const blocks = new Map(headers.map((header) => [header.block, emptyBlock(header)]))
  for (const log of shown) if (!withSwap.has(log.tx)) blocks.get(log.block)?.logs.push(rawLogOf(log))
  for (let at = 0; at < wanted.length; at += groupSize) {
    for (const mined of await readTransactions(rpc, wanted.slice(at, at + groupSize)))
      blocks.get(mined.receipt.blockNumber)?.transactions.push(rawTransaction(mined))
  }
  for (const block of blocks.values()) take(block)
}

/** The transactions with a log of `places`, in the order of their logs. */
function wantedTransactions(logs: readonly Log[], { places }: LogFilter): WantedTransaction[] {
  type Wanted = WantedTransaction & { log_indexes: number[] }
  const wanted = new Map<string, Wanted>()
  for (const { tx, block, block_hash, log_index, topics } of logs) {
    if (places?.has(topics[0] ?? '') !== true) continue
    const transaction = wanted.get(tx) ?? { tx, block, block_hash, log_indexes: [] }
    transaction.log_indexes.push(log_index)
    wanted.set(tx, transaction)
  }
  return [...wanted.values()]
}

/** Blocks as ranges without a gap, in their order. */
function rangesOf(headers: readonly Header[]): BlockRange[] {
  const ranges: BlockRange[] = []
  for (const { block } of headers.toSorted((a, b) => a.block - b.block)) {
    const last = ranges.at(-1)
    if (last?.to === block) last.to = block + 1
    else ranges.push({ from: block, to: block + 1 })
  }
  return ranges
}
