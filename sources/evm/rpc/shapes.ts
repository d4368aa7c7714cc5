import { z } from 'zod'

import { bytesOf, expectedLogs, numberOf, readLogs, type Log } from './log_shape.ts'

const amountText = /^0x[0-9a-f]+$/i
const expectedAmount = 'expected a hexadecimal quantity'

/** A quantity as text. Lower case is a check of the text here and below: a transform is a shape of its own. */
const amount = z.string().regex(amountText, expectedAmount).toLowerCase()

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
  receiptsRoot: hash.nullish().catch(null),
})

const toHeader = ({ number, hash: blockHash, parentHash, ...fields }: z.output<typeof headerFields>) => ({
  block: number,
  hash: blockHash,
  parent_hash: parentHash,
  time_s: fields.timestamp,
  bloom: fields.logsBloom ?? null,
  receipts_root: fields.receiptsRoot ?? null,
})

/** The header of a block, with its number of transactions. A node of a rollup may have no bloom, or one of zeros. */
export const headerShape = headerFields
  .extend({ transactions: z.array(z.unknown()).optional() })
  .transform(({ transactions, ...fields }) => ({ ...toHeader(fields), n_transactions: transactions?.length ?? null }))

/**
 * A receipt with its logs. Receipts before Byzantium have no status, those before London no price. Rollups charge a fee
 * of their own. Quantities are texts, since they are kept as raw JSON-RPC.
 */
export const receiptShape = shapeBy((fields) => ({
  blockHash: bytesAt(fields, 'blockHash', 32),
  blockNumber: numberAt(fields, 'blockNumber'),
  transactionHash: bytesAt(fields, 'transactionHash', 32),
  transactionIndex: numberAt(fields, 'transactionIndex'),
  status: maybeAmountAt(fields, 'status'),
  gasUsed: amountAt(fields, 'gasUsed'),
  effectiveGasPrice: maybeAmountAt(fields, 'effectiveGasPrice'),
  l1Fee: maybeAmountAt(fields, 'l1Fee'),
  logs: logsAt(fields, 'logs'),
  // Beside the logs, the root of the receipts of a block has these.
  type: isMissing(fields, 'type') ? null : numberAt(fields, 'type'),
  root: isMissing(fields, 'root') ? null : bytesAt(fields, 'root', 32),
  cumulativeGasUsed: maybeAmountAt(fields, 'cumulativeGasUsed'),
  depositNonce: maybeAmountAt(fields, 'depositNonce'),
  depositReceiptVersion: maybeAmountAt(fields, 'depositReceiptVersion'),
}))

export type Receipt = z.output<typeof receiptShape>

/** A transaction with its place. */
export const transactionShape = shapeBy((fields) => ({
  hash: bytesAt(fields, 'hash', 32),
  blockHash: bytesAt(fields, 'blockHash', 32),
  blockNumber: numberAt(fields, 'blockNumber'),
  from: bytesAt(fields, 'from', 20),
  to: isMissing(fields, 'to') ? null : bytesAt(fields, 'to', 20),
  value: amountAt(fields, 'value'),
  nonce: maybeAmountAt(fields, 'nonce'),
  gasPrice: maybeAmountAt(fields, 'gasPrice'),
}))

/**
 * A transaction and its receipt as they are kept, which have the fields that rows follow from. Logs are checked as they
 * are decoded. Receipts before Byzantium have no status: their `root` says nothing about success, and a failed
 * transaction has no logs.
 */
export const keptTransactionShape = shapeBy((fields) => {
  const [transaction, receipt] = [fieldsAt(fields, 'transaction'), fieldsAt(fields, 'receipt')]
  return {
    hash: bytesAt(transaction, 'hash', 32),
    from: bytesAt(transaction, 'from', 20),
    to: isMissing(transaction, 'to') ? null : bytesAt(transaction, 'to', 20),
    value: BigInt(amountAt(transaction, 'value')),
    nonce: isMissing(transaction, 'nonce') ? null : numberAt(transaction, 'nonce'),
    gasPrice: maybeBigAt(transaction, 'gasPrice'),
    receiptHash: bytesAt(receipt, 'transactionHash', 32),
    block: numberAt(receipt, 'blockNumber'),
    tx_index: numberAt(receipt, 'transactionIndex'),
    status: isMissing(receipt, 'status') ? null : numberAt(receipt, 'status'),
    gasUsed: BigInt(amountAt(receipt, 'gasUsed')),
    effectiveGasPrice: maybeBigAt(receipt, 'effectiveGasPrice'),
    l1Fee: maybeBigAt(receipt, 'l1Fee'),
    logs: expectValue(
      Array.isArray(receipt['logs']) ? (receipt['logs'] as unknown[]) : undefined,
      'logs',
      'expected a list',
    ),
  }
})

type Fields = Readonly<Record<string, unknown>>

/** A field that is not what it should be. */
class WrongField extends Error {}

/**
 * A shape that is written by hand. A busy block has hundreds of transactions, whose fields zod checks at twice the CPU
 * of all else that is done with them.
 */
function shapeBy<T>(read: (fields: Fields) => T): z.ZodType<T> {
  return z.unknown().transform((body, context) => {
    try {
      if (typeof body === 'object' && body !== null) return read(body as Fields)
      context.addIssue({ code: 'custom', message: 'expected an object' })
    } catch (error) {
      if (!(error instanceof WrongField)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
    return z.NEVER
  })
}

const isMissing = (fields: Fields, name: string): boolean => fields[name] === undefined || fields[name] === null

const expectValue = <T>(value: T | undefined, name: string, expected: string): T => {
  if (value === undefined) throw new WrongField(`${name}: ${expected}`)
  return value
}
const fieldsAt = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return expectValue(
    typeof value === 'object' && value !== null ? (value as Fields) : undefined,
    name,
    'expected an object',
  )
}
const bytesAt = (fields: Fields, name: string, n_bytes: number): string =>
  expectValue(bytesOf(fields[name], n_bytes), name, `expected ${n_bytes} bytes in hexadecimal`)
const numberAt = (fields: Fields, name: string): number =>
  expectValue(numberOf(fields[name]), name, 'expected a hexadecimal number below 2^53')
const logsAt = (fields: Fields, name: string): Log[] => expectValue(readLogs(fields[name]), name, expectedLogs)
const amountAt = (fields: Fields, name: string): string => {
  const text = fields[name]
  return expectValue(
    typeof text === 'string' && amountText.test(text) ? text.toLowerCase() : undefined,
    name,
    expectedAmount,
  )
}
const maybeAmountAt = (fields: Fields, name: string): string | null =>
  isMissing(fields, name) ? null : amountAt(fields, name)

const maybeBigAt = (fields: Fields, name: string): bigint | null => {
  const text = maybeAmountAt(fields, name)
  return text === null ? null : BigInt(text)
}

/** A block with its transactions. */
export const fullBlockShape = headerFields
  .extend({ transactions: z.array(transactionShape) })
  .transform(({ transactions, ...fields }) => ({
    header: { ...toHeader(fields), n_transactions: transactions.length },
    transactions,
  }))

/** A header of a block, `time_s` in seconds since 1970. */
export type Header = z.output<typeof headerShape>
