import { rawTransaction, type RawBlock } from '#sources/evm/blocks/raw_block.ts'
import { readHeaders, readTransactions, type WantedTransaction } from '#sources/evm/rpc/blocks.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import { assertLogsOfHeaders, type BlockRange } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

import { readHolderLogs } from './holder_logs.ts'

/**
 * A stretch of blocks as it was read of an account: the blocks with its transactions, and those that no two endpoints
 * agree about. Of blocks below `cut` nothing was read; null: of none.
 */
export type StretchReading = { blocks: RawBlock[]; unproved: BlockRange[]; cut: number | null }

/** Blocks whose logs are read before their transactions: so many that an account with millions ends soon. */
const partSize = 50_000
/** A failed request repeats the transactions, or the headers, of one group. */
const groupSize = 200

/**
 * Reads the transactions of an account in a stretch, newest first: those with a Transfer from it or to it, each with its
 * receipt. `take` grants a number of transactions; of one that is not granted, older blocks are left out.
 */
export async function readStretch(
  rpc: Rpc,
  address: string,
  { from, to }: BlockRange,
  take: (n: number) => number,
): Promise<StretchReading> {
  const blocks: RawBlock[] = []
  const unproved: BlockRange[] = []
  let n_wanted = 0
  for (let end = to; end > from; end -= partSize) {
    const part = { from: Math.max(from, end - partSize), to: end }
    const read = await readHolderLogs(rpc, address, part)
    unproved.push(...read.unproved)
    const wanted = wantedTransactions(read.logs)
    n_wanted += wanted.length
    const lacking = n_wanted - take(n_wanted)
    const cut = cutOf(wanted, lacking)
    const isKept = ({ block }: { block: number }): boolean => cut === null || block >= cut
    blocks.push(...(await readBlocksOf(rpc, wanted.filter(isKept), read.logs.filter(isKept))))
    if (cut !== null) return { blocks, unproved: unproved.filter((range) => range.to > cut), cut }
  }
  return { blocks, unproved, cut: null }
}

/** The first block of which all transactions are granted, if so many of the oldest are not. */
function cutOf(wanted: readonly WantedTransaction[], lacking: number): number | null {
  const last = wanted[Math.min(lacking, wanted.length) - 1]
  return last === undefined ? null : last.block + 1
}

/** The transactions of logs, in the order of blocks. */
function wantedTransactions(logs: readonly Log[]): WantedTransaction[] {
  const wanted = new Map<string, WantedTransaction & { log_indexes: number[] }>()
  for (const { tx, block, block_hash, log_index } of logs) {
    const transaction = wanted.get(tx) ?? { tx, block, block_hash, log_indexes: [] }
    transaction.log_indexes.push(log_index)
    wanted.set(tx, transaction)
  }
  return [...wanted.values()]
}

/** Reads transactions with their receipts, and the headers of their blocks, by which their logs are checked. */
async function readBlocksOf(rpc: Rpc, wanted: readonly WantedTransaction[], logs: readonly Log[]): Promise<RawBlock[]> {
  const headers = new Map<number, Header>()
  for (const group of groupsOf([...new Set(wanted.map(({ block }) => block))]))
    for (const [block, header] of await readHeaders(rpc, group)) headers.set(block, header)
  assertLogsOfHeaders(logs, headers)
  const blocks = new Map<number, RawBlock>()
  for (const group of groupsOf(wanted)) {
    for (const mined of await readTransactions(rpc, group)) {
      const header = headers.get(mined.receipt.blockNumber)
      if (header === undefined) throw new RpcFault('check', `block ${mined.receipt.blockNumber}: no header`)
      const { block, hash, parent_hash, time_s } = header
      const raw = blocks.get(block) ?? { block, hash, parent_hash, time_s, transactions: [], logs: [] }
      raw.transactions.push(rawTransaction(mined))
      blocks.set(block, raw)
    }
  }
  return [...blocks.values()]
}

const groupsOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / groupSize) }, (_, n) => items.slice(n * groupSize, (n + 1) * groupSize))
