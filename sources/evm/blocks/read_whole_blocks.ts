import {
  assertHasLogs,
  receiptsMethod,
  type MinedTransaction,
  type WantedTransaction,
} from '#sources/evm/rpc/blocks.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import { fullBlocksOf } from '#sources/evm/rpc/full_blocks.ts'
import { assertHeaders, type BlockRange } from '#sources/evm/rpc/log_checks.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

import { emptyBlock, rawTransaction, type BlocksReading, type TakeBlock } from './raw_block.ts'

/** Whole blocks of one piece of work: some megabytes on a large chain. A failed request repeats these alone. */
const groupSize = 5

/** Reads a range of blocks with all their transactions. */
export async function readWholeBlocks(rpc: Rpc, { from, to }: BlockRange, take: TakeBlock): Promise<BlocksReading> {
  const headers = new Map<number, Header>()
  let incomplete: string | undefined
  for (let first = from; first < to; first += groupSize) {
    const numbers = Array.from({ length: Math.min(groupSize, to - first) }, (_, n) => first + n)
    for (const block of await rpc.at((node) => fullBlocksOf(node, numbers), { firstBlock: first })) {
      headers.set(block.header.block, block.header)
      take({ ...emptyBlock(block.header), transactions: block.mined.map(rawTransaction) })
      incomplete ??= block.incomplete
    }
  }
  assertHeaders(headers)
  return { incomplete }
}

/**
 * A whole block is two calls, but has all other transactions too. It is read up to so many of them for each wanted one.
 */
const mostOthers = 16

/**
 * Reads whole blocks where that takes fewer calls than each wanted transaction with its receipt, and hands on the
 * wanted transactions of each. Returns those of the blocks that were not read, which are all of them if no endpoint
 * serves the receipts of a block.
 */
export async function readBusyBlocks(
  rpc: Rpc,
  wanted: readonly WantedTransaction[],
  headers: readonly Header[],
  take: (block: number, mined: readonly MinedTransaction[]) => void,
): Promise<readonly WantedTransaction[]> {
  const byBlock = new Map<number, WantedTransaction[]>()
  for (const transaction of wanted)
    byBlock.set(transaction.block, [...(byBlock.get(transaction.block) ?? []), transaction])
  const busy = headers.flatMap(({ block, n_transactions }) => {
    const n_wanted = byBlock.get(block)?.length ?? 0
    return n_wanted > 1 && (n_transactions ?? Infinity) <= mostOthers * n_wanted ? [block] : []
  })
  const isRead = new Set<number>()
  try {
    for (let at = 0; at < busy.length; at += groupSize) {
      const group = busy.slice(at, at + groupSize)
      const ofGroup = group.flatMap((block) => byBlock.get(block) ?? [])
      const mined = await readWanted(rpc, group, ofGroup)
      for (const block of group) {
        take(
          block,
          mined.filter(({ receipt }) => receipt.blockNumber === block),
        )
        isRead.add(block)
      }
    }
  } catch (error) {
    if (!(error instanceof ChainFault) || error.faults.some(({ kind }) => kind !== 'method')) throw error
  }
  return wanted.filter(({ block }) => !isRead.has(block))
}

/** The wanted transactions of whole blocks, from one endpoint that serves the receipts of blocks. */
const readWanted = (
  rpc: Rpc,
  blocks: readonly number[],
  wanted: readonly WantedTransaction[],
): Promise<MinedTransaction[]> =>
  rpc.at(
    async (node) => {
      const full = await fullBlocksOf(node, blocks, 'block')
      const byHash = new Map(full.flatMap(({ mined }) => mined).map((mined) => [mined.transaction.hash, mined]))
      return wanted.map(({ tx, block_hash, log_indexes }) => {
        const mined = byHash.get(tx)
        if (mined?.receipt.blockHash !== block_hash)
          throw new RpcFault('check', `transaction ${tx}: not in its block; expected block ${block_hash}`)
        assertHasLogs(mined.receipt, log_indexes)
        return mined
      })
    },
    { method: receiptsMethod, firstBlock: blocks[0] ?? 0 },
  )
