import { bloomOf } from '#sources/evm/rpc/bloom.ts'
import type { ChainLog } from '#sources/markets/polymarket/chain/chain_events.ts'
import { hashOf } from '#test/sources/evm/rpc/fake_chain.ts'

/** A chain by the logs of its transactions. A fork replaces the blocks from its first one on. */
export type LogsChain = {
  n_blocks: number
  /** Whether it has the contracts of the venue: by default it has. */
  isBare?: boolean
  /** The first block of each fork. */
  forks: readonly number[]
  /** The logs of each transaction of a block, on a fork by its number. */
  transactionsOf: (block: number, fork: number) => readonly (readonly Omit<ChainLog, 'log_index'>[])[]
}

const hex = (value: number): string => `0x${value.toString(16)}`
export const timeOf = (block: number): number => 1_790_000_000 + 2 * block

/** The number of the fork that a block is of. */
export const forkOf = ({ forks }: LogsChain, block: number): number =>
  forks.findLastIndex((first) => block >= first) + 1
export const txOf = (block: number, fork: number, n: number): string => hashOf(`transaction ${block} ${fork} ${n}`)

/** The logs of a block, as a node writes them. */
function logsOf(chain: LogsChain, block: number) {
  const fork = forkOf(chain, block)
  let n_logs = 0
  return chain.transactionsOf(block, fork).flatMap((logs, n) =>
    logs.map(({ address, topics, data }) => ({
      address,
      topics: [...topics],
      data,
      blockNumber: hex(block),
      blockHash: hashOf(`block ${block} ${fork}`),
      transactionHash: txOf(block, fork, n),
      transactionIndex: hex(n),
      logIndex: hex(n_logs++),
      removed: false,
    })),
  )
}

type Call = { id: number; method: string; params: unknown[] }
type Filter = { fromBlock: string; toBlock: string; address?: string[]; topics: (string[] | null)[] }

/** An honest node of a chain, from the body of a request to its answer. */
export function answerLogs(chain: LogsChain, text: string): unknown {
  const head = chain.n_blocks - 1
  const headerOf = (block: number): object => ({
    number: hex(block),
    hash: hashOf(`block ${block} ${forkOf(chain, block)}`),
    parentHash: block === 0 ? hashOf('none') : hashOf(`block ${block - 1} ${forkOf(chain, block - 1)}`),
    timestamp: hex(timeOf(block)),
    logsBloom: bloomOf(logsOf(chain, block)),
    transactions: chain.transactionsOf(block, forkOf(chain, block)).map((_, n) => txOf(block, forkOf(chain, block), n)),
  })
  const logsIn = ({ fromBlock, toBlock, address, topics }: Filter): object[] =>
    Array.from({ length: Math.min(Number(toBlock), head) - Number(fromBlock) + 1 }, (_, n) => Number(fromBlock) + n)
      .flatMap((block) => logsOf(chain, block))
      .filter((log) => address === undefined || address.includes(log.address))
      .filter((log) => topics.every((accepted, n) => accepted === null || accepted.includes(log.topics[n] ?? '')))
  const receiptsOf = (block: number): object[] => {
    const logs = logsOf(chain, block)
    const fork = forkOf(chain, block)
    return chain.transactionsOf(block, fork).map((_, n) => ({
      blockHash: hashOf(`block ${block} ${fork}`),
      blockNumber: hex(block),
      transactionHash: txOf(block, fork, n),
      transactionIndex: hex(n),
      status: '0x1',
      gasUsed: '0x5208',
      logs: logs.filter(({ transactionIndex }) => Number(transactionIndex) === n),
    }))
  }
  const outcomeOf = ({ method, params: [first] }: Call): object => {
    const block = first === 'finalized' ? head : Number(first)
    switch (method) {
      case 'eth_chainId':
        return { result: '0x89' }
      case 'eth_getCode':
        return { result: chain.isBare === true ? '0x' : '0x60' }
      case 'eth_blockNumber':
        return { result: hex(head) }
      case 'eth_getBlockByNumber':
        return { result: block > head ? null : headerOf(block) }
      case 'eth_getBlockReceipts':
        return { result: block > head ? null : receiptsOf(block) }
      case 'eth_getLogs':
        return { result: logsIn(first as Filter) }
      default:
        return { error: { code: -32_601, message: `the method ${method} does not exist` } }
    }
  }
  const asked = JSON.parse(text) as Call | Call[]
  const replyTo = (call: Call): object => ({ jsonrpc: '2.0', id: call.id, ...outcomeOf(call) })
  return Array.isArray(asked) ? asked.map(replyTo) : replyTo(asked)
}
