import { createHash } from 'node:crypto'

import { createRandom, type Random } from '#sim/random.ts'
import { bloomOf } from '#sources/evm/rpc/bloom.ts'
import { receiptsRootOf } from '#sources/evm/rpc/receipts_root.ts'
import { receiptShape } from '#sources/evm/rpc/shapes.ts'

/** A chain of random blocks, for nodes that leave things out. */
export type LyingWorld = {
  seed: number
  n_blocks: number
  /** Transactions without a swap in each block. Their logs fill the filters. */
  n_others: number
  /** What its headers have beside their parents. */
  filters: 'true' | 'zeros' | 'none'
  hasRoots: boolean
  /** The methods and the largest range of its nodes. */
  hasReceipts: boolean
  maxRange: number
}

type WireLog = { address: string; topics: string[]; data: string } & Record<string, unknown>
type WireReceipt = { transactionHash: string; logs: WireLog[] } & Record<string, unknown>
type WireBlock = { header: object; transactions: ({ hash: string } & object)[]; receipts: WireReceipt[] }

const hex = (value: number): string => `0x${value.toString(16)}`
const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
const addressOf = (text: string): string => hashOf(text).slice(0, 42)
const padded = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const swapV2 = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const word = (value: number): string => value.toString(16).padStart(64, '0')

/** Few pools and wallets, so that a filter often has the texts of a missing log from another. */
const poolAt = (random: Random): string => addressOf(`pool ${random.below(2)}`)
const walletAt = (random: Random): string => addressOf(`wallet ${random.below(2)}`)

function swapLogs(random: Random): Omit<WireLog, 'logIndex'>[] {
  const [pool, wallet] = [poolAt(random), walletAt(random)]
  const swaps = Array.from({ length: 1 + random.below(2) }, () => ({
    address: pool,
    topics: [swapV2, padded(wallet), padded(wallet)],
    data: `0x${[1 + random.below(1e6), 0, 0, 1 + random.below(1e6)].map(word).join('')}`,
  }))
  const moved = { address: addressOf('token'), topics: [transfer, padded(wallet), padded(pool)], data: `0x${word(7)}` }
  return [moved, ...swaps]
}

const otherLogs = (random: Random): Omit<WireLog, 'logIndex'>[] => [
  { address: addressOf(`other ${random.below(90)}`), topics: [hashOf(`event ${random.below(150)}`)], data: '0x' },
]

/** The blocks of a world as its honest nodes write them. */
export function blocksOf({ seed, n_blocks, n_others, filters, hasRoots }: LyingWorld): WireBlock[] {
  const random = createRandom(seed, 31)
  const hashAt = (block: number): string => hashOf(`block ${seed} ${block}`)
  return Array.from({ length: n_blocks }, (_, block) => {
    const n_swaps = random.chance(0.5) ? 0 : 1 + random.below(3)
    const isEmpty = random.chance(0.2)
    const kinds = isEmpty ? [] : Array.from({ length: n_swaps + n_others }, (_, n) => n < n_swaps)
    let n_logs = 0
    const place = { blockHash: hashAt(block), blockNumber: hex(block) }
    const mined = kinds.map((isSwap, n) => {
      const at = { ...place, transactionIndex: hex(n), transactionHash: hashOf(`tx ${seed} ${block} ${n}`) }
      const logs = (isSwap ? swapLogs(random) : otherLogs(random)).map((log) => ({
        ...(log as WireLog),
        ...at,
        logIndex: hex(n_logs++),
        removed: false,
      }))
      const gas = { gasUsed: '0x5208', cumulativeGasUsed: hex(21_000 * (n + 1)), effectiveGasPrice: '0x1' }
      const receipt = { ...at, type: '0x2', status: '0x1', ...gas, logs }
      const transaction = { ...place, hash: at.transactionHash, transactionIndex: at.transactionIndex }
      const sent = { from: addressOf(`wallet ${n % 2}`), to: addressOf('router'), value: '0x0', nonce: hex(n) }
      return { receipt, transaction: { ...transaction, ...sent, gasPrice: '0x1' } }
    })
    const receipts = mined.map(({ receipt }) => receipt)
    const logs = receipts.flatMap((receipt) => receipt.logs)
    const header = {
      number: hex(block),
      hash: hashAt(block),
      parentHash: hashAt(block - 1),
      timestamp: hex(1_790_000_000 + 2 * block),
      ...(filters === 'none' ? {} : { logsBloom: filters === 'true' ? bloomOf(logs) : `0x${'0'.repeat(512)}` }),
      ...(hasRoots && { receiptsRoot: receiptsRootOf(receipts.map((receipt) => receiptShape.parse(receipt))) }),
    }
    return { header, transactions: mined.map(({ transaction }) => transaction), receipts }
  })
}

type Call = { id: number; method: string; params: unknown[] }

/** An honest node of a world, from the body of a request to that of its answer. */
export function nodeOf(world: LyingWorld, blocks: readonly WireBlock[]): (body: string) => string {
  const byTransaction = new Map(
    blocks.flatMap(({ transactions, receipts }) =>
      transactions.map((transaction, n) => [transaction.hash, { transaction, receipt: receipts[n] }] as const),
    ),
  )
  const failure = (code: number, message: string): object => ({ error: { code, message } })
  const logsIn = (asked: { fromBlock: string; toBlock: string; topics: [string[]] }): object => {
    const [from, to, topics] = [Number(asked.fromBlock), Number(asked.toBlock), new Set(asked.topics[0])]
    if (to - from >= world.maxRange) return failure(-32_600, `exceed maximum block range: ${world.maxRange}`)
    const logs = blocks.slice(from, to + 1).flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs))
    return { result: logs.filter((log) => topics.has(log.topics[0] ?? '')) }
  }
  const resultOf = ({ method, params: [first, isFull] }: Call): object => {
    if (method === 'eth_chainId') return { result: '0x2105' }
    if (method === 'eth_getLogs') return logsIn(first as Parameters<typeof logsIn>[0])
    if (method === 'eth_getTransactionByHash') return { result: byTransaction.get(String(first))?.transaction ?? null }
    if (method === 'eth_getTransactionReceipt') return { result: byTransaction.get(String(first))?.receipt ?? null }
    const block = blocks[Number(first)]
    if (method === 'eth_getBlockByNumber' && block !== undefined) {
      const { header, transactions } = block
      return {
        result: { ...header, transactions: isFull === true ? transactions : transactions.map(({ hash }) => hash) },
      }
    }
    if (method === 'eth_getBlockReceipts' && world.hasReceipts) return { result: block?.receipts ?? null }
    return failure(-32_601, `the method ${method} does not exist`)
  }
  return (body) => {
    const asked = JSON.parse(body) as Call | Call[]
    const replyTo = (call: Call): object => ({ jsonrpc: '2.0', id: call.id, ...resultOf(call) })
    return JSON.stringify(Array.isArray(asked) ? asked.map(replyTo) : replyTo(asked))
  }
}
