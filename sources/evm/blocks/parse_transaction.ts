import { zodReason } from '#ingest/http/response.ts'
import type { RawLog } from '#sources/evm/decode/event/decoder.ts'
import { keptTransactionShape } from '#sources/evm/rpc/shapes.ts'

import type { RawTransaction } from './raw_block.ts'

/** A transaction: its place, its row of `transactions`, and its logs as they came. */
export type Transaction = {
  block: number
  tx_index: number
  tx: string
  row: Readonly<Record<string, unknown>>
  logs: readonly unknown[]
}

/** Reads a transaction with its receipt, as raw JSON-RPC; the reason if it is malformed. */
export function parseTransaction(body: RawTransaction): Transaction | { reason: string } {
  const { data, error } = keptTransactionShape.safeParse(body)
  if (error !== undefined) return { reason: zodReason(error) }
  if (data.hash !== data.receiptHash) return { reason: `receipt: of ${data.receiptHash}` }
  const { effectiveGasPrice, gasPrice, l1Fee, gasUsed } = data
  return {
    block: data.block,
    tx_index: data.tx_index,
    tx: data.hash,
    row: {
      sender: data.from,
      recipient: data.to,
      amount: data.value,
      nonce: data.nonce,
      is_ok: data.status === null || data.status === 1,
      gas_used: Number(gasUsed),
      amount_fee: gasUsed * (effectiveGasPrice ?? gasPrice ?? 0n) + (l1Fee ?? 0n),
      amount_l1_fee: l1Fee,
    },
    logs: data.logs,
  }
}

/**
 * Checks the shape of a log without another object for each topic. Undefined if it has none. Digits are checked where
 * they are read.
 */
export function parseLog(body: unknown): (RawLog & { log_index: number }) | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const { address, topics, data, logIndex } = body as Record<string, unknown>
  if (typeof address !== 'string' || typeof data !== 'string' || typeof logIndex !== 'string') return undefined
  if (address.length !== 42 || !data.startsWith('0x') || !isTopics(topics)) return undefined
  const log_index = Number(logIndex)
  return Number.isSafeInteger(log_index) ? { address: address.toLowerCase(), topics, data, log_index } : undefined
}

const isTopics = (topics: unknown): topics is string[] =>
  Array.isArray(topics) && topics.every((topic) => typeof topic === 'string' && topic.length === 66)
