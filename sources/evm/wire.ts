import { z } from 'zod'

import { zodReason } from '#ingest/http/response.ts'
import type { Micros } from '#time.ts'

import { rawTransaction } from './blocks/raw_block.ts'
import type { Collection } from './collection.ts'
import type { RawLog } from './decode/index.ts'
import type { MinedTransaction } from './rpc/blocks.ts'
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

/** A transaction with the fields of its receipt, parsed. */
type Parsed = { sent: z.output<typeof rpcTransaction>; done: Omit<z.output<typeof rpcReceipt>, 'logs'> }

/**
 * Adds a transaction with its receipt, as raw JSON-RPC, to a collection: its fee, and each log that is a fact. Logs may
 * come in any order. A malformed log is rejected; a malformed transaction is rejected as a whole.
 */
export function addTransaction(
  into: Collection,
  at: { chain: string; ts: Micros },
  { transaction, receipt }: { transaction: unknown; receipt: unknown },
): void {
  const reject = (reason: string, body: unknown): void =>
    into.reject({ dataset: 'transactions', path: at.chain, reason, body })
  const { data, error } = rpcMined.safeParse({ transaction, receipt })
  if (error !== undefined) return reject(zodReason(error), { transaction, receipt })
  const { logs, ...done } = data.receipt
  if (data.transaction.hash !== done.transactionHash) return reject(`receipt: of ${done.transactionHash}`, transaction)
  const place = addParsed(into, at, { sent: data.transaction, done })
  for (const body of logs) {
    const log = readLog(body)
    if (log !== undefined) into.addLog(log, placeOf(place, log.log_index))
    else into.reject({ dataset: 'swaps', path: `${at.chain}/${place.block}/${place.tx}`, reason: 'log: no hex', body })
  }
}

/** Adds a transaction that an endpoint has just given, with the same rows: its logs were checked as they were read. */
export function addMined(into: Collection, at: { chain: string; ts: Micros }, mined: MinedTransaction): void {
  const { transaction: sent, receipt: done } = mined
  const [nonce, status] = [numberOrNull(sent.nonce), numberOrNull(done.status)]
  if (!Number.isSafeInteger(nonce ?? 0) || !Number.isSafeInteger(status ?? 0))
    return addTransaction(into, at, rawTransaction(mined))
  const place = addParsed(into, at, {
    sent: { ...sent, value: BigInt(sent.value), nonce, gasPrice: bigintOrNull(sent.gasPrice) },
    done: {
      ...done,
      status,
      gasUsed: BigInt(done.gasUsed),
      effectiveGasPrice: bigintOrNull(done.effectiveGasPrice),
      l1Fee: bigintOrNull(done.l1Fee),
    },
  })
  for (const log of done.logs) into.addLog(log, placeOf(place, log.log_index))
}

const numberOrNull = (text: string | null | undefined): number | null => (text ? Number(text) : null)
const bigintOrNull = (text: string | null | undefined): bigint | null => (text ? BigInt(text) : null)

function addParsed(into: Collection, at: { chain: string; ts: Micros }, { sent, done }: Parsed): Place {
  const place = {
    ...at,
    block: done.blockNumber,
    tx_index: done.transactionIndex,
    tx: done.transactionHash,
    log_index: -1,
  }
  const { effectiveGasPrice, l1Fee, gasUsed } = done
  into.addTransaction(place, {
    sender: sent.from,
    recipient: sent.to ?? null,
    amount: sent.value,
    nonce: sent.nonce ?? null,
    is_ok: done.status === undefined || done.status === null ? true : done.status === 1,
    gas_used: Number(gasUsed),
    amount_fee: gasUsed * (effectiveGasPrice ?? sent.gasPrice ?? 0n) + (l1Fee ?? 0n),
    amount_l1_fee: l1Fee ?? null,
  })
  return place
}
