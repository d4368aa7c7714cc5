import type { z } from 'zod'

import { hexOf, receiptOrNull, receiptsMethod, receiptsOrNull, type MinedTransaction } from './blocks.ts'
import { bloomOf, openBloom } from './bloom.ts'
import { RpcFault } from './fault.ts'
import { assertHeaders } from './log_checks.ts'
import type { Call, RpcNode } from './node.ts'
import { fullBlockShape, type Header } from './shapes.ts'

/** A block with all its transactions, in their order, and the reason why logs may be missing. */
export type FullBlock = { header: Header; mined: MinedTransaction[]; incomplete?: string }

const fullBlockOrNull = fullBlockShape.nullable()

const blockCall = (block: number) => ({
  method: 'eth_getBlockByNumber',
  params: [hexOf(block), true],
  shape: fullBlockOrNull,
})

const receiptsCall = (block: number) => ({
  method: receiptsMethod,
  params: [hexOf(block)],
  shape: receiptsOrNull,
})

/**
 * Reads whole blocks from one endpoint: two calls each, whatever the number of transactions. Each transaction has its
 * receipt, and the logs of all of them give the bloom filter of the header. An endpoint without receipts of blocks is
 * asked for each receipt, unless they must come `block` by block.
 */
export async function fullBlocksOf(
  node: RpcNode,
  blocks: readonly number[],
  receiptsBy: 'block' | 'any' = 'any',
): Promise<FullBlock[]> {
  const answers = await node.batch(blocks.map(blockCall))
  const whole = answers.map((block, n) => {
    if (block === null) throw new RpcFault('lag', `block ${blocks[n]}: null; expected it with its transactions`)
    return block
  })
  assertHeaders(new Map(whole.map(({ header }, n) => [blocks[n] ?? -1, header])))
  const receipts = await receiptsOfAll(node, whole, receiptsBy)
  return whole.map(({ header, transactions }, n) => {
    const byHash = new Map((receipts[n] ?? []).map((receipt) => [receipt.transactionHash, receipt]))
    const mined = transactions.map((transaction) => {
      const receipt = byHash.get(transaction.hash)
      if (receipt === undefined || receipt.blockHash !== header.hash || transaction.blockHash !== header.hash)
        throw new RpcFault('check', `block ${header.block}: transaction ${transaction.hash} without its receipt`)
      return { transaction, receipt }
    })
    return { header, mined, ...unlessProved(header, mined) }
  })
}

/**
 * Some chains keep transactions of their own out of the filter, so another filter makes a reading unverified, and is no
 * fault.
 */
function unlessProved({ block, bloom }: Header, mined: readonly MinedTransaction[]): { incomplete?: string } {
  if (openBloom(bloom) === undefined || bloomOf(mined.flatMap(({ receipt }) => receipt.logs)) === bloom) return {}
  return { incomplete: `block ${block}: its receipts do not give its bloom filter` }
}

type Receipt = MinedTransaction['receipt']
type WholeBlock = z.output<typeof fullBlockShape>

/** The receipts of each block: by block where the endpoint serves them, else one by one. */
async function receiptsOfAll(node: RpcNode, blocks: readonly WholeBlock[], by: 'block' | 'any'): Promise<Receipt[][]> {
  if (!node.state.without.has(receiptsMethod)) {
    try {
      const answers = await node.batch(blocks.map(({ header }) => receiptsCall(header.block)))
      return answers.map((receipts) => receipts ?? [])
    } catch (error) {
      if (!(error instanceof RpcFault) || error.kind !== 'method' || by === 'block') throw error
      node.state.without.add(receiptsMethod)
    }
  }
  const calls = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => receiptCall(hash)))
  const all = await node.batch(calls)
  let n = 0
  return blocks.map(({ transactions }) => transactions.flatMap(() => all[n++] ?? []))
}

const receiptCall = (tx: string): Call<Receipt | null> => ({
  method: 'eth_getTransactionReceipt',
  params: [tx],
  shape: receiptOrNull,
})
