import type { z } from 'zod'

import { hexOf, receiptOrNull, receiptsMethod, receiptsOrNull, type MinedTransaction } from './blocks.ts'
import { RpcFault } from './fault.ts'
import { assertHeaders } from './log_checks.ts'
import type { Call, RpcNode } from './node.ts'
import { proofOf, type Proof } from './proof.ts'
import { fullBlockShape, type Header, type Receipt } from './shapes.ts'

/** A block with all its transactions, in their order, and the proof of their logs, if there is one. */
export type FullBlock = { header: Header; mined: MinedTransaction[]; proof: Proof | undefined }

/** A block with all its receipts, and its wanted transactions. */
export type ReceiptsBlock = { header: Header; receipts: Receipt[]; mined: MinedTransaction[] }

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
 * Reads whole blocks from one endpoint: two calls each, whatever the number of transactions. An endpoint without
 * receipts of blocks is asked for each receipt.
 */
export async function fullBlocksOf(node: RpcNode, blocks: readonly number[]): Promise<FullBlock[]> {
  const whole = await wholeBlocksOf(node, blocks)
  const receipts = await receiptsOfAll(node, whole)
  return whole.map((block, n) => {
    const { header } = block
    const blockReceipts = receipts[n] ?? []
    return { header, mined: minedOf(block, blockReceipts), proof: proofOrNone(header, blockReceipts) }
  })
}

/** Some chains have receipts that no header shows, so their reading is unverified, and is no fault. */
function proofOrNone(header: Header, receipts: readonly Receipt[]): Proof | undefined {
  try {
    return proofOf(header, receipts)
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error
    return undefined
  }
}

/**
 * Reads all receipts of blocks from one endpoint, and of the blocks with a wanted one their transactions. Receipts come
 * `block` by block, or one by one where `any` is allowed.
 */
export async function blocksWithReceipts(
  node: RpcNode,
  headers: readonly Header[],
  isWanted: (receipt: Receipt) => boolean,
  by: 'block' | 'any',
): Promise<ReceiptsBlock[]> {
  const receipts = await receiptsByBlock(node, headers).catch((error: unknown) => {
    if (by === 'block' || !isOfMethod(error)) throw error
  })
  if (receipts === undefined) {
    const whole = await wholeBlocksOf(node, headers.map(numberIn))
    const all = await receiptsOfAll(node, whole)
    return headers.map((header, n) => wantedOf(header, all[n] ?? [], whole[n], isWanted))
  }
  const busy = headers.filter((_, n) => receipts[n]?.some(isWanted))
  const whole = new Map((await wholeBlocksOf(node, busy.map(numberIn))).map((block) => [block.header.block, block]))
  return headers.map((header, n) => wantedOf(header, receipts[n] ?? [], whole.get(header.block), isWanted))
}

const numberIn = ({ block }: Header): number => block

function wantedOf(
  header: Header,
  receipts: Receipt[],
  whole: WholeBlock | undefined,
  isWanted: (receipt: Receipt) => boolean,
): ReceiptsBlock {
  const { block, hash } = header
  if (whole !== undefined && whole.header.hash !== hash)
    throw new RpcFault('lag', `block ${block}: of another fork than its header`)
  if (receipts.some(({ blockHash }) => blockHash !== hash))
    throw new RpcFault('check', `block ${block}: receipts of another fork than its header`)
  const wanted = new Set(receipts.filter(isWanted).map(({ transactionHash }) => transactionHash))
  if (whole === undefined) return { header, receipts, mined: [] }
  const transactions = whole.transactions.filter((transaction) => wanted.has(transaction.hash))
  if (transactions.length !== wanted.size)
    throw new RpcFault('check', `block ${block}: lacks transactions of its receipts`)
  return { header, receipts, mined: minedOf({ ...whole, transactions }, receipts) }
}

/** Each transaction of a block with its receipt. */
function minedOf({ header, transactions }: WholeBlock, receipts: readonly Receipt[]): MinedTransaction[] {
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  return transactions.map((transaction) => {
    const receipt = byHash.get(transaction.hash)
    if (receipt === undefined || receipt.blockHash !== header.hash || transaction.blockHash !== header.hash)
      throw new RpcFault('check', `block ${header.block}: transaction ${transaction.hash} without its receipt`)
    return { transaction, receipt }
  })
}

type WholeBlock = z.output<typeof fullBlockShape>

async function wholeBlocksOf(node: RpcNode, blocks: readonly number[]): Promise<WholeBlock[]> {
  const answers = await node.batch(blocks.map(blockCall))
  const whole = answers.map((block, n) => {
    if (block === null) throw new RpcFault('lag', `block ${blocks[n]}: null; expected it with its transactions`)
    return block
  })
  assertHeaders(new Map(whole.map(({ header }, n) => [blocks[n] ?? -1, header])))
  return whole
}

const isOfMethod = (error: unknown): boolean => error instanceof RpcFault && error.kind === 'method'

/** The receipts of each block. Throws a fault of the kind `method` where the endpoint does not serve them. */
async function receiptsByBlock(node: RpcNode, headers: readonly Header[]): Promise<Receipt[][]> {
  if (node.state.without.has(receiptsMethod)) throw new RpcFault('method', `${receiptsMethod}: not served`)
  try {
    const answers = await node.batch(headers.map(({ block }) => receiptsCall(block)))
    return answers.map((receipts, n) => {
      if (receipts !== null) return receipts
      throw new RpcFault('lag', `block ${headers[n]?.block}: no receipts; expected the receipts of the block`)
    })
  } catch (error) {
    if (isOfMethod(error)) node.state.without.add(receiptsMethod)
    throw error
  }
}

/** The receipts of whole blocks: by block where the endpoint serves them, else one by one. */
async function receiptsOfAll(node: RpcNode, blocks: readonly WholeBlock[]): Promise<Receipt[][]> {
  try {
    return await receiptsByBlock(
      node,
      blocks.map(({ header }) => header),
    )
  } catch (error) {
    if (!isOfMethod(error)) throw error
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
