import { z } from 'zod'

import { hexOf, type MinedTransaction } from '#sources/evm/rpc/blocks.ts'
import type { BlockRange } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import { proofShape, type Proof } from '#sources/evm/rpc/proof.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

/**
 * A block as it was read and checked: its header, the transactions with a swap or fill, and single logs of others. Its
 * text is the same whichever endpoint answered, and however large the requests were.
 */
export type RawBlock = {
  block: number
  hash: string
  parent_hash: string
  time_s: number
  transactions: RawTransaction[]
  logs: { tx: string; tx_index: number; log: unknown }[]
}

/** A transaction with its receipt, as raw JSON-RPC with the fields that rows follow from. */
export type RawTransaction = { transaction: unknown; receipt: unknown }

/** Takes a block that was read now. Blocks come in any order. */
export type TakeBlock = (block: RawBlock) => void

/** The end of a reading: what proves the logs of its blocks, and the blocks that nothing proves. */
export type BlocksReading = { proofs: Proof[]; unproved: BlockRange[] }

/**
 * The first body of a unit: the end of its final blocks when it was read, whether it has all transactions, and the
 * proofs of its blocks. Readings of version 0.1 have no proofs, and `incomplete` is the reason why logs may be missing.
 */
export type RawHead = { final: number; is_whole: boolean } & (
  | (BlocksReading & { incomplete?: undefined })
  | { proofs?: undefined; unproved?: undefined; incomplete?: string | undefined }
)

/** A block without rows. */
export const emptyBlock = ({ block, hash, parent_hash, time_s }: Header): RawBlock => ({
  block,
  hash,
  parent_hash,
  time_s,
  transactions: [],
  logs: [],
})

/** A transaction with its receipt, with fields in a fixed order and text. */
export const rawTransaction = ({ transaction, receipt }: MinedTransaction): RawTransaction => ({
  transaction: {
    hash: transaction.hash,
    from: transaction.from,
    to: transaction.to ?? null,
    value: transaction.value,
    nonce: transaction.nonce ?? null,
    gasPrice: transaction.gasPrice ?? null,
  },
  receipt: {
    transactionHash: receipt.transactionHash,
    blockNumber: hexOf(receipt.blockNumber),
    transactionIndex: hexOf(receipt.transactionIndex),
    status: receipt.status ?? null,
    gasUsed: receipt.gasUsed,
    effectiveGasPrice: receipt.effectiveGasPrice ?? null,
    l1Fee: receipt.l1Fee ?? null,
    logs: receipt.logs.map(rawLog),
  },
})

export const rawLog = ({ address, topics, data, log_index }: Log) => ({
  address,
  topics,
  data,
  logIndex: hexOf(log_index),
})

/** The bodies of a unit: its head, then a block each, in their order. */
export const bodiesOf = (head: RawHead, blocks: ReadonlyMap<number, string>): string[] => [
  JSON.stringify(head),
  ...[...blocks].toSorted(([a], [b]) => a - b).map(([, text]) => text),
]

const read = z.object({ final: z.number(), is_whole: z.boolean() })
const headShape = z.union([
  read.extend({
    proofs: z.array(proofShape),
    unproved: z.array(z.object({ from: z.number(), to: z.number() })),
  }),
  read.extend({ incomplete: z.string().optional() }),
])

/** Reads the bodies of a unit. The blocks are our own text, so only their rows are checked again. */
export function readBodies([first = '', ...rest]: readonly string[]): { head: RawHead; blocks: RawBlock[] } {
  return { head: headShape.parse(JSON.parse(first)), blocks: rest.map((body) => JSON.parse(body) as RawBlock) }
}
