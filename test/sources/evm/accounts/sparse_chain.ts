import { bloomOf } from '#sources/evm/rpc/bloom.ts'

/** A transaction of a sparse chain: its sender, and the movements of tokens that it logs. */
export type SparseTransaction = { block: number; from: string; moves: readonly Move[] }
type Move = { token: string; from: string; to: string; amount: number }

/** A long chain with transactions in few of its blocks, so that each block can be made when it is asked for. */
export type SparseChain = {
  n_blocks: number
  /** The largest range of `eth_getLogs`. */
  maxRange: number
  /** Whether its nodes have the state of old blocks. */
  isArchive: boolean
  transactions: readonly SparseTransaction[]
  /** Contracts have code. */
  contracts: readonly string[]
}

const start_s = 1_600_000_000
const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const hex = (value: number): string => `0x${value.toString(16)}`
const padded = (text: string): string => `0x${text.slice(2).padStart(64, '0')}`
const hashOf = (kind: string, block: number, n = 0): string =>
  `0x${kind.padEnd(4, '0')}${block.toString(16).padStart(12, '0')}${n.toString(16).padStart(48, '0')}`

/** The time of a block in seconds; a block takes two. */
export const timeOf = (block: number): number => start_s + 2 * block
export const addressOf = (kind: string, n: number): string =>
  `0x${Buffer.from(kind).toString('hex').padEnd(20, '0')}${n.toString(16).padStart(20, '0')}`

type Call = { id: number; method: string; params: unknown[] }
type Filter = { fromBlock: string; toBlock: string; topics: (string | string[] | null)[] }

/** An honest node of a chain, from the body of a request to that of its answer. */
export function sparseNode({ n_blocks, maxRange, isArchive, transactions, contracts }: SparseChain) {
  const byBlock = new Map<number, SparseTransaction[]>()
  for (const transaction of transactions.toSorted((a, b) => a.block - b.block)) {
    const same = byBlock.get(transaction.block)
    if (same === undefined) byBlock.set(transaction.block, [transaction])
    else same.push(transaction)
  }
  const sent = new Map<string, number[]>()
  for (const { block, from } of [...byBlock.values()].flat()) {
    const mine = sent.get(from)
    if (mine === undefined) sent.set(from, [block])
    else mine.push(block)
  }
  const nonces = new Map<string, number>()
  const nonceOf = new Map(
    [...byBlock.values()].flat().map((transaction) => {
      const nonce = nonces.get(transaction.from) ?? 0
      nonces.set(transaction.from, nonce + 1)
      return [transaction, nonce] as const
    }),
  )
  const blocks = [...byBlock.keys()]
  const code = new Set(contracts)

  const minedIn = (block: number) => {
    let n_logs = 0
    return (byBlock.get(block) ?? []).map((transaction, n) => {
      const place = { blockHash: hashOf('b', block), blockNumber: hex(block), transactionIndex: hex(n) }
      const hash = hashOf('a', block, n)
      const logs = transaction.moves.map(({ token, from, to, amount }) => ({
        ...place,
        address: token,
        topics: [transfer, padded(from), padded(to)],
        data: padded(hex(amount)),
        transactionHash: hash,
        logIndex: hex(n_logs++),
        removed: false,
      }))
      const { from } = transaction
      const body = { ...place, hash, from, to: addressOf('router', 0), value: '0x0', gasPrice: '0x1' }
      const receipt = { ...place, transactionHash: hash, status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x1' }
      return { body: { ...body, nonce: hex(nonceOf.get(transaction) ?? 0) }, receipt: { ...receipt, logs } }
    })
  }
  const headerOf = (block: number, isFull: boolean) => {
    const mined = minedIn(block)
    const logs = mined.flatMap(({ receipt }) => receipt.logs)
    return {
      number: hex(block),
      hash: hashOf('b', block),
      parentHash: block === 0 ? hashOf('0', 0) : hashOf('b', block - 1),
      timestamp: hex(timeOf(block)),
      logsBloom: bloomOf(logs),
      transactions: mined.map(({ body }) => (isFull ? body : body.hash)),
    }
  }
  const logsIn = ({ fromBlock, toBlock, topics }: Filter): object => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    if (to - from >= maxRange) return { error: { code: -32_600, message: `exceed maximum block range: ${maxRange}` } }
    const logs = blocks
      .slice(firstAt(blocks, from), firstAt(blocks, to + 1))
      .flatMap((block) => minedIn(block).flatMap(({ receipt }) => receipt.logs))
    const fits = ({ topics: words }: (typeof logs)[number]): boolean =>
      topics.every((topic, n) => topic === null || [topic].flat().includes(words[n] ?? ''))
    return { result: logs.filter(fits) }
  }
  const head = n_blocks - 1
  const numberOf = (tag: unknown): number => {
    if (tag === 'latest') return head
    return tag === 'finalized' ? Math.max(0, head - 10) : Number(tag)
  }
  const minedAt = (hash: unknown) => {
    const text = String(hash)
    return minedIn(Number.parseInt(text.slice(6, 18), 16))[Number.parseInt(text.slice(18), 16)]
  }
  const outcomeOf = ({ method, params: [first, second] }: Call): object => {
    switch (method) {
      case 'eth_chainId':
        return { result: '0x2105' }
      case 'eth_blockNumber':
        return { result: hex(head) }
      case 'eth_getBlockByNumber':
        return { result: numberOf(first) > head ? null : headerOf(numberOf(first), second === true) }
      case 'eth_getLogs':
        return logsIn(first as Filter)
      case 'eth_getTransactionByHash':
        return { result: minedAt(first)?.body ?? null }
      case 'eth_getTransactionReceipt':
        return { result: minedAt(first)?.receipt ?? null }
      case 'eth_getCode':
        return { result: code.has(String(first)) ? '0x60' : '0x' }
      case 'eth_getTransactionCount': {
        const block = numberOf(second)
        if (!isArchive && block < head - 128)
          return { error: { code: -32_000, message: 'missing trie node 5f (path )' } }
        return { result: hex(firstAt(sent.get(String(first)) ?? [], block + 1)) }
      }
      default:
        return { error: { code: -32_601, message: `the method ${method} does not exist` } }
    }
  }
  return (text: string): string => {
    const asked = JSON.parse(text) as Call | Call[]
    const replyTo = (call: Call): object => ({ jsonrpc: '2.0', id: call.id, ...outcomeOf(call) })
    return JSON.stringify(Array.isArray(asked) ? asked.map(replyTo) : replyTo(asked))
  }
}

/** The position of the first of sorted numbers that is at least another one. */
function firstAt(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}
