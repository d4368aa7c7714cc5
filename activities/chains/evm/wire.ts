import { z } from 'zod'

import { zodReason } from '#activities/http/response.ts'
import type { Micros } from '#time.ts'

import type { Collection } from './collection.ts'
import type { RawLog } from './decode/index.ts'
import type { Place } from './tables.ts'

/** A number of the wire, such as `0x1f`. */
const quantity = z.string().regex(/^0x[0-9a-f]+$/i, 'expected hex')
const whole = quantity.transform(BigInt)
const position = quantity.transform(Number).refine(Number.isSafeInteger, 'expected a safe integer')
const lower = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]{${digits}}$`, 'i'), `expected ${digits} hex digits`)
    .transform((hex) => hex.toLowerCase())

/** A transaction, as `eth_getBlockByNumber` and `eth_getTransactionByHash` return it. */
const rpcTransaction = z.object({
  hash: lower(64),
  from: lower(40),
  to: lower(40).nullish(),
  value: whole,
  nonce: position.nullish(),
  gasPrice: whole.nullish(),
})

/**
 * A receipt. Logs are checked as they are decoded. Receipts before Byzantium have no status: their `root` says nothing
 * about success, and a failed transaction has no logs.
 */
const rpcReceipt = z.object({
  transactionHash: lower(64),
  blockNumber: position,
  transactionIndex: position,
  status: position.nullish(),
  gasUsed: whole,
  effectiveGasPrice: whole.nullish(),
  l1Fee: whole.nullish(),
  logs: z.array(z.unknown()),
})

const rpcMined = z.object({ transaction: rpcTransaction, receipt: rpcReceipt })

/**
 * Checks the shape of a log without another object for each topic. Undefined if it has none. Digits are checked where
 * they are read.
 */
export function readLog(body: unknown): (RawLog & { log_index: number }) | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { address, topics, data, logIndex } = body as Record<string, unknown>
  if (typeof address !== 'string' || typeof data !== 'string' || typeof logIndex !== 'string') return undefined
  if (address.length !== 42 || !data.startsWith('0x') || !isTopics(topics)) return undefined
  const log_index = Number(logIndex)
  return Number.isSafeInteger(log_index) ? { address: address.toLowerCase(), topics, data, log_index } : undefined
}

const isTopics = (topics: unknown): topics is string[] =>
  Array.isArray(topics) && topics.every((topic) => typeof topic === 'string' && topic.length === 66)

/** The place of a log. Written out, because a spread of each log costs more than its decoding. */
const placeOf = ({ chain, block, tx_index, tx, ts }: Omit<Place, 'log_index'>, log_index: number): Place => ({
  chain,
  block,
  tx_index,
  tx,
  log_index,
  ts,
})

/**
 * Adds a transaction with its receipt, as raw JSON-RPC, to a collection: its fee, and each log that is a fact. Logs may
 * come in any order. A malformed log is rejected; a malformed transaction is rejected as a whole.
 */
export function addTransaction(
  into: Collection,
  { chain, ts }: { chain: string; ts: Micros },
  { transaction, receipt }: { transaction: unknown; receipt: unknown },
): void {
  const parsed = rpcMined.safeParse({ transaction, receipt })
  if (!parsed.success) {
    into.reject({
      dataset: 'transactions',
      path: chain,
      reason: zodReason(parsed.error),
      body: { transaction, receipt },
    })
    return
  }
  const { transaction: sent, receipt: done } = parsed.data
  const at = { chain, block: done.blockNumber, tx_index: done.transactionIndex, tx: done.transactionHash, ts }
  if (sent.hash !== done.transactionHash) {
    into.reject({
      dataset: 'transactions',
      path: chain,
      reason: `receipt: of ${done.transactionHash}`,
      body: transaction,
    })
    return
  }
  const { effectiveGasPrice, l1Fee, gasUsed } = done
  into.addTransaction(
    { ...at, log_index: -1 },
    {
      sender: sent.from,
      recipient: sent.to ?? null,
      amount: sent.value,
      nonce: sent.nonce ?? null,
      is_ok: done.status === undefined || done.status === null ? true : done.status === 1,
      gas_used: Number(gasUsed),
      amount_fee: gasUsed * (effectiveGasPrice ?? sent.gasPrice ?? 0n) + (l1Fee ?? 0n),
      amount_l1_fee: l1Fee ?? null,
    },
  )
  for (const body of done.logs) {
    const log = readLog(body)
    if (log === undefined) {
      into.reject({ dataset: 'swaps', path: `${chain}/${at.block}/${at.tx}`, reason: 'log: no hex', body })
    } else into.addLog(log, placeOf(at, log.log_index))
  }
}
