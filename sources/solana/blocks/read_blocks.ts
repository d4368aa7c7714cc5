import { z } from 'zod'

import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Call } from '#sources/evm/rpc/node.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import type { SolanaBlock } from '#sources/solana/rows.ts'
import { SECOND } from '#time.ts'

import { isTransactionText, type TransactionText } from './transaction_texts.ts'

const finalized = { commitment: 'finalized' }
const slot = z.number().int().nonnegative()

/** Blocks that are asked for at once: each has some megabytes. */
const atOnce = 4

/** The slots of the final blocks of a range, `to` exclusive. A slot without a block was skipped. */
const blocksCall = (from: number, to: number): Call<number[]> => ({
  method: 'getBlocks',
  params: [from, to - 1, finalized],
  shape: z.array(slot),
})

const nextCall = (from: number): Call<number[]> => ({
  method: 'getBlocksWithLimit',
  params: [from, 1, finalized],
  shape: z.array(slot),
})

const blockShape = z.object({
  blockhash: z.string(),
  previousBlockhash: z.string(),
  parentSlot: slot,
  blockTime: z.number().nullable(),
  transactions: z.array(z.custom<TransactionText>(isTransactionText)).default([]),
})
type Block = z.output<typeof blockShape>

const blockCall = (at: number, transactionDetails: 'full' | 'none'): Call<Block | null> => ({
  method: 'getBlock',
  params: [
    at,
    { ...finalized, encoding: 'json', transactionDetails, rewards: false, maxSupportedTransactionVersion: 0 },
  ],
  shape: blockShape.nullable(),
})

/** The slot of the last final block. */
export const readFinalSlot = (rpc: Rpc): Promise<number> =>
  rpc.at((node) => node.call({ method: 'getSlot', params: [finalized], shape: slot }))

/** The time of the first block from a slot on, in seconds. */
export async function readSlotTime(rpc: Rpc, from: number): Promise<number> {
  const [next] = await rpc.at((node) => node.call(nextCall(from)), { firstBlock: from })
  if (next === undefined) throw new Error(`slot ${from}: no final block from it on; expected one`)
  return (await readBlock(rpc, next, 'none')).time_s
}

/**
 * Reads the final blocks of a range of slots. Each block names the one before it, by slot and hash, up to the first
 * block after the range: so none is missing, and a slot without a block was skipped. `take` gets each block that
 * follows, so that its text is released before the next ones are read. `final` is the end of the final slots.
 */
export async function readBlocks(
  rpc: Rpc,
  { from, to }: { from: number; to: number },
  { final, take }: { final: number; take: (block: ReadBlock) => void },
): Promise<void> {
  const slots = await rpc.at((node) => node.call(blocksCall(from, to)), { firstBlock: from })
  if (slots.some((block, n) => block < (slots[n - 1] ?? from - 1) + 1 || block >= to))
    throw new Error(`getBlocks ${from} to ${to - 1}: ${slots.join(', ')}; expected rising slots of the range`)
  let last: Header | undefined
  for (let at = 0; at < slots.length; at += atOnce) {
    const read = await Promise.all(slots.slice(at, at + atOnce).map((block) => readBlock(rpc, block, 'full')))
    for (const { transactions, time_s, ...block } of read) {
      assertFollows(last, block, from)
      take({ ...block, ts: time_s * SECOND, transactions })
      last = block
    }
  }
  await assertEnd(rpc, last, { from, to, final })
}

/** A block with the texts of all its transactions. */
export type ReadBlock = SolanaBlock & { transactions: readonly TransactionText[] }

type Header = Omit<SolanaBlock, 'ts'>

async function readBlock(
  rpc: Rpc,
  block: number,
  details: 'full' | 'none',
): Promise<Header & { time_s: number; transactions: readonly TransactionText[] }> {
  return rpc.at(
    async (node) => {
      const read = await node.call(blockCall(block, details))
      if (read === null) throw new RpcFault('lag', `block ${block}: null; expected the block of a listed slot`)
      const { blockhash: hash, parentSlot: parent_block, previousBlockhash: parent_hash, blockTime: time_s } = read
      if (time_s === null) throw new RpcFault('check', `block ${block}: no time; expected seconds since 1970`)
      return { block, hash, parent_block, parent_hash, time_s, transactions: read.transactions }
    },
    { firstBlock: block },
  )
}

/** Throws unless a block names the block before it as its parent, or one before the range. */
function assertFollows(before: Header | undefined, { block, parent_block, parent_hash }: Header, from: number): void {
  // The first block of the chain is its own parent.
  const isFirst = parent_block < from || block === 0
  const isNext = before === undefined ? isFirst : parent_block === before.block
  if (isNext && (before === undefined || parent_hash === before.hash)) return
  const expected = before === undefined ? `a slot before ${from}` : `${before.block} (${before.hash})`
  throw new Error(`block ${block}: its parent is ${parent_block} (${parent_hash}); expected ${expected}`)
}

/** The last block of a range is the parent of the next one, or the last final block itself. */
async function assertEnd(
  rpc: Rpc,
  last: Header | undefined,
  { from, to, final }: { from: number; to: number; final: number },
): Promise<void> {
  if (last?.block === final - 1) return
  const [next] = await rpc.at((node) => node.call(nextCall(to)), { firstBlock: to })
  if (next === undefined) throw new Error(`slot ${to}: no final block from it on; expected one below slot ${final}`)
  assertFollows(last, await readBlock(rpc, next, 'none'), from)
}
