import { z } from 'zod'

import { bloomOf } from '#sources/evm/rpc/bloom.ts'
import { receiptsRootOf } from '#sources/evm/rpc/receipts_root.ts'
import { receiptShape as parsedShape } from '#sources/evm/rpc/shapes.ts'

/** A transaction and its receipt, as raw JSON-RPC. */
export type Mined = { transaction: unknown; receipt: unknown }

const receiptShape = z.looseObject({
  transactionHash: z.string(),
  blockNumber: z.string(),
  blockHash: z.string(),
  logs: z.array(z.looseObject({ topics: z.array(z.string()) })),
})
type WireReceipt = z.output<typeof receiptShape>
const transactionShape = z.looseObject({ hash: z.string() })
const filterShape = z.object({
  fromBlock: z.string(),
  toBlock: z.string(),
  topics: z.tuple([z.array(z.string())]),
})
const callShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })

const hex = (value: number): string => `0x${value.toString(16)}`
/** Blocks above the last recorded one, so that all recorded blocks are final. */
const above = 1_000

/**
 * A JSON-RPC node over recorded transactions: a chain of which only these are known. Other blocks are empty, and have
 * made-up hashes. Its headers have the filters and roots of the known receipts, which lack indexes of the others.
 */
export function replayRpc(chainId: number, mined: readonly Mined[]): (body: string) => string {
  const transactions = new Map(
    mined.map(({ transaction }) => [transactionShape.parse(transaction).hash, transaction] as const),
  )
  const receipts = new Map(
    mined
      .map(({ receipt }) => receiptShape.parse(receipt))
      .map((receipt) => [receipt.transactionHash, receipt] as const),
  )
  const hashes = new Map([...receipts.values()].map(({ blockNumber, blockHash }) => [Number(blockNumber), blockHash]))
  const head = Math.max(...hashes.keys()) + above
  const hashOf = (block: number): string => hashes.get(block) ?? `0x${block.toString(16).padStart(64, 'e')}`
  const byBlock = new Map<number, WireReceipt[]>()
  for (const receipt of receipts.values()) {
    const block = Number(receipt.blockNumber)
    byBlock.set(block, [...(byBlock.get(block) ?? []), { cumulativeGasUsed: '0x0', ...receipt }])
  }
  const headers = new Map<number, object>()
  /** The header of a block without its transactions. Its filter and its root are hashes, so they are made once. */
  const sealOf = (block: number): object => {
    const made = headers.get(block)
    if (made !== undefined) return made
    const inBlock = byBlock.get(block) ?? []
    const parsed = inBlock
      .map((receipt) => parsedShape.parse(receipt))
      .toSorted((a, b) => a.transactionIndex - b.transactionIndex)
    const header = {
      number: hex(block),
      hash: hashOf(block),
      // The first block has no parent.
      parentHash: hashOf(Math.max(0, block - 1)),
      timestamp: hex(1_500_000_000 + block),
      logsBloom: bloomOf(parsed.flatMap(({ logs }) => logs)),
      receiptsRoot: receiptsRootOf(parsed),
    }
    headers.set(block, header)
    return header
  }
  const headerOf = (block: number, isFull: boolean) => ({
    ...sealOf(block),
    transactions: (byBlock.get(block) ?? []).map(({ transactionHash: tx }) => (isFull ? transactions.get(tx) : tx)),
  })
  const numbered = [...receipts.values()].map((receipt) => ({ block: Number(receipt.blockNumber), logs: receipt.logs }))
  const logsOf = ({ fromBlock, toBlock, topics: [wanted] }: z.output<typeof filterShape>): unknown[] => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    return numbered
      .filter(({ block }) => block >= from && block <= to)
      .flatMap(({ logs }) => logs)
      .filter(({ topics }) => wanted.includes(topics[0] ?? ''))
  }
  const resultOf = ({ method, params: [first, isFull] }: z.output<typeof callShape>): object => {
    if (method === 'eth_chainId') return { result: hex(chainId) }
    if (method === 'eth_blockNumber') return { result: hex(head) }
    if (method === 'eth_getBlockByNumber')
      return { result: headerOf(first === 'finalized' ? head : Number(first), isFull === true) }
    if (method === 'eth_getLogs') return { result: logsOf(filterShape.parse(first)) }
    if (method === 'eth_getTransactionByHash') return { result: transactions.get(String(first)) ?? null }
    if (method === 'eth_getTransactionReceipt') return { result: receipts.get(String(first)) ?? null }
    if (method === 'eth_getBlockReceipts') return { result: byBlock.get(Number(first)) ?? [] }
    return { error: { code: -32_601, message: `the method ${method} does not exist` } }
  }
  return (body) => {
    const asked = z.union([z.array(callShape), callShape]).parse(JSON.parse(body))
    const replyTo = (call: z.output<typeof callShape>) => ({ jsonrpc: '2.0', id: call.id, ...resultOf(call) })
    return JSON.stringify(Array.isArray(asked) ? asked.map(replyTo) : replyTo(asked))
  }
}

/** The numbers of the recorded blocks. */
export const blocksOf = (mined: readonly Mined[]): number[] => [
  ...new Set(mined.map(({ receipt }) => Number(receiptShape.parse(receipt).blockNumber))),
]
