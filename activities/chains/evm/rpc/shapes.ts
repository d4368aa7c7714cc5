import { z } from 'zod'

import { logsShape } from './log_shape.ts'

/**
 * A quantity as text, since it is kept as raw JSON-RPC. Lower case is a check of the text here and below: a transform
 * is a shape of its own, and each receipt has several.
 */
const amount = z
  .string()
  .regex(/^0x[0-9a-f]+$/i, 'expected a hexadecimal quantity')
  .toLowerCase()

/** A quantity such as `0x1f`, of any size. */
export const quantity = amount.transform(BigInt)

/** A quantity below 2^53: a block number, an index, seconds. */
export const safeQuantity = amount.transform(Number).refine(Number.isSafeInteger, 'expected a number below 2^53')

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`, 'i'), `expected ${bytes} bytes in hexadecimal`)
    .toLowerCase()

export const hash = hex(32)
export const bytes = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i, 'expected bytes in hexadecimal')
  .toLowerCase()

const headerFields = z.object({
  number: safeQuantity,
  hash,
  parentHash: hash,
  timestamp: safeQuantity,
  logsBloom: bytes.nullish(),
})

const toHeader = ({ number, hash: own, parentHash, timestamp, logsBloom }: z.output<typeof headerFields>) => ({
  block: number,
  hash: own,
  parent_hash: parentHash,
  time_s: timestamp,
  bloom: logsBloom ?? null,
})

/** The header of a block, with its number of transactions. A node of a rollup may have no bloom, or one of zeros. */
export const headerShape = headerFields
  .extend({ transactions: z.array(z.unknown()).optional() })
  .transform(({ transactions, ...fields }) => ({ ...toHeader(fields), n_transactions: transactions?.length ?? null }))

const address = hex(20)

/**
 * A receipt with its logs. Receipts before Byzantium have no status, those before London no price. Rollups charge a fee
 * of their own.
 */
export const receiptShape = z.object({
  blockHash: hash,
  blockNumber: safeQuantity,
  transactionHash: hash,
  transactionIndex: safeQuantity,
  status: amount.nullish(),
  gasUsed: amount,
  effectiveGasPrice: amount.nullish(),
  l1Fee: amount.nullish(),
  logs: logsShape,
})

/** A transaction with its place. */
export const transactionShape = z.object({
  hash,
  blockHash: hash,
  blockNumber: safeQuantity,
  from: address,
  to: address.nullish(),
  value: amount,
  nonce: amount.nullish(),
  gasPrice: amount.nullish(),
})

/** A block with its transactions. */
export const fullBlockShape = headerFields
  .extend({ transactions: z.array(transactionShape) })
  .transform(({ transactions, ...fields }) => ({
    header: { ...toHeader(fields), n_transactions: transactions.length },
    transactions,
  }))

/** A header of a block, `time_s` in seconds since 1970. */
export type Header = z.output<typeof headerShape>
