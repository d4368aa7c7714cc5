import { z } from 'zod'

import type { Watermark } from '#ingest/source.ts'

import { RpcFault } from './fault.ts'
import { assertHeaders } from './log_checks.ts'
import type { Call, RpcNode } from './node.ts'
import type { Rpc } from './rpc.ts'
import { headerShape, receiptShape, safeQuantity, transactionShape, type Header } from './shapes.ts'

export const hexOf = (value: number): string => `0x${value.toString(16)}`

// A shape is made once: making one costs as much as reading hundreds of values with it.
const headerOrNull = headerShape.nullable()
const transactionOrNull = transactionShape.nullable()
export const receiptOrNull = receiptShape.nullable()
export const receiptsOrNull = z.array(receiptShape).nullable()

/** The call for the header of a block; null if the endpoint does not have the block. */
export const headerCall = (block: number | 'finalized'): Call<Header | null> => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hexOf(block) : block, false],
  shape: headerOrNull,
})

/** The watermark of a chain: the blocks below `head` exist, and those below `final` no longer change. */
export const readWatermark = async (rpc: Rpc): Promise<Watermark> =>
  rpc.at(async (node) => {
    const head = await node.call({ method: 'eth_blockNumber', params: [], shape: safeQuantity })
    const byDepth = Math.max(0, head - rpc.chain.finality)
    const named = await node.call(headerCall('finalized')).catch(unlessUnsupported)
    // Some nodes name their head as final.
    return { head: head + 1, final: Math.min(byDepth, named?.block ?? byDepth) + 1 }
  })

/** A node without the tag answers with an error of many kinds. */
function unlessUnsupported(error: unknown): null {
  if (error instanceof RpcFault && ['tag', 'method', 'lag', 'check', 'other'].includes(error.kind)) return null
  throw error
}

/** Reads headers by number, from one endpoint, and checks them. */
export const readHeaders = (rpc: Rpc, blocks: readonly number[]): Promise<Map<number, Header>> =>
  rpc.at((node) => headersOf(node, blocks), { firstBlock: Math.min(...blocks) })

/** Headers from one endpoint. A missing block is a fault, since the caller knows that the block exists. */
export async function headersOf(node: RpcNode, blocks: readonly number[]): Promise<Map<number, Header>> {
  const answers = await node.batch(blocks.map(headerCall))
  const headers = new Map<number, Header>()
  for (const [n, block] of blocks.entries()) {
    const header = answers[n]
    if (header === null || header === undefined) throw new RpcFault('lag', `block ${block}: null; expected its header`)
    headers.set(block, header)
  }
  assertHeaders(headers)
  return headers
}

/** A transaction and its receipt. */
export type MinedTransaction = {
  transaction: z.output<typeof transactionShape>
  receipt: z.output<typeof receiptShape>
}

/** A transaction by its logs: its receipt must have them. */
export type WantedTransaction = { tx: string; block: number; block_hash: string; log_indexes: readonly number[] }

/** Throws a fault unless a receipt has the logs that a range showed of its transaction. */
export function assertHasLogs(receipt: MinedTransaction['receipt'], log_indexes: readonly number[]): void {
  const receiptIndexes = new Set(receipt.logs.map(({ log_index }) => log_index))
  if (log_indexes.every((index) => receiptIndexes.has(index))) return
  const tx = receipt.transactionHash
  throw new RpcFault('check', `transaction ${tx}: its receipt lacks a log; expected all logs of the range`)
}

/** Reads transactions with their receipts, in the given order. Each must be in the given block, with the given logs. */
export const readTransactions = (rpc: Rpc, wanted: readonly WantedTransaction[]): Promise<MinedTransaction[]> =>
  rpc.at(
    async (node) => {
      const transactions = await node.batch(
        wanted.map(({ tx }) => ({
          method: 'eth_getTransactionByHash',
          params: [tx],
          shape: transactionOrNull,
        })),
      )
      const receipts = await node.batch(
        wanted.map(({ tx }) => ({ method: 'eth_getTransactionReceipt', params: [tx], shape: receiptOrNull })),
      )
      return wanted.map(({ tx, block_hash, log_indexes }, n) => {
        const [transaction, receipt] = [transactions[n], receipts[n]]
        if (transaction === null || transaction === undefined || receipt === null || receipt === undefined)
          throw new RpcFault('lag', `transaction ${tx}: null; expected it with its receipt`)
        const isOfBlock = transaction.blockHash === block_hash && receipt.blockHash === block_hash
        if (!isOfBlock || transaction.hash !== tx || receipt.transactionHash !== tx)
          throw new RpcFault(
            'check',
            `transaction ${tx}: of another block or transaction; expected block ${block_hash}`,
          )
        assertHasLogs(receipt, log_indexes)
        return { transaction, receipt }
      })
    },
    { firstBlock: Math.min(...wanted.map(({ block }) => block)) },
  )

export const receiptsMethod = 'eth_getBlockReceipts'

/** All receipts of a block from one endpoint. Some nodes repeat a receipt or a log, which is a fault. */
export async function receiptsOf(
  node: RpcNode,
  { block, hash }: Pick<Header, 'block' | 'hash'>,
): Promise<MinedTransaction['receipt'][]> {
  if (node.state.without.has(receiptsMethod)) throw new RpcFault('method', `${receiptsMethod}: not served`)
  const receipts = await node
    .call({ method: receiptsMethod, params: [hexOf(block)], shape: receiptsOrNull })
    .catch((error: unknown) => {
      if (error instanceof RpcFault && error.kind === 'method') node.state.without.add(receiptsMethod)
      throw error
    })
  if (receipts === null) throw new RpcFault('lag', `block ${block}: no receipts; expected the receipts of the block`)
  const places = receipts.map(({ transactionIndex }) => transactionIndex)
  if (new Set(places).size < places.length) throw new RpcFault('check', `block ${block}: a receipt twice`)
  if (receipts.some(({ blockHash }) => blockHash !== hash))
    throw new RpcFault('check', `block ${block}: receipts of another fork than its header`)
  return receipts
}
