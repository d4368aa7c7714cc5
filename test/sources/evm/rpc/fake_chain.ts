import { createHash } from 'node:crypto'

import { bloomOf } from '#sources/evm/rpc/bloom.ts'
import type { BlockRange, LogFilter } from '#sources/evm/rpc/log_checks.ts'

/** Topics of logs. The last is not wanted. */
export const [swap, fill, other] = ['swap', 'fill', 'other'].map((name) => hashOf(name)) as [string, string, string]
export const wanted: LogFilter = { topics: [swap, fill] }

export type FakeLog = { address: string; topics: string[]; data: string }
/** The logs of each block, by its number. */
export type FakeChain = readonly (readonly FakeLog[])[]

export function hashOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

export const hexOf = (value: number): string => `0x${value.toString(16)}`

/** A chain with so many logs in each block; the topics take turns. */
export const chainOf = (counts: readonly number[]): FakeChain =>
  counts.map((n_logs, block) =>
    Array.from({ length: n_logs }, (_, n) => ({
      address: hashOf(`pool ${(block + n) % 5}`).slice(0, 42),
      topics: [[swap, fill, other][(block + n) % 3] ?? swap, hashOf(`sender ${n % 4}`)],
      data: `0x${'00'.repeat(31)}07`,
    })),
  )

export const blockHash = (block: number): string => hashOf(`block ${block}`)
export const txHash = (block: number, index: number): string => hashOf(`transaction ${block} ${index}`)
/** Each log is of an own transaction, but for every third, which shares that before. */
const txOf = (index: number): number => index - Math.floor(index / 3)

export const header = (chain: FakeChain, block: number, start_s = 1_790_000_000) => ({
  number: hexOf(block),
  hash: blockHash(block),
  parentHash: blockHash(block - 1),
  timestamp: hexOf(start_s + 12 * block),
  logsBloom: bloomOf(chain[block] ?? []),
  transactions: wireReceipts(chain, block).map(({ transactionHash }) => transactionHash),
})

/** The logs of a block as a node writes them. */
export const wireLogs = (chain: FakeChain, block: number) =>
  (chain[block] ?? []).map((log, n) => ({
    ...log,
    blockNumber: hexOf(block),
    blockHash: blockHash(block),
    transactionHash: txHash(block, txOf(n)),
    transactionIndex: hexOf(txOf(n)),
    logIndex: hexOf(n),
    removed: false,
  }))

export const wireReceipts = (chain: FakeChain, block: number) => {
  const logs = wireLogs(chain, block)
  return [...new Set(logs.map(({ transactionIndex }) => transactionIndex))].map((transactionIndex) => ({
    blockHash: blockHash(block),
    blockNumber: hexOf(block),
    transactionHash: txHash(block, Number(transactionIndex)),
    transactionIndex,
    status: '0x1',
    gasUsed: '0x5208',
    logs: logs.filter((log) => log.transactionIndex === transactionIndex),
  }))
}

/** The places of the wanted logs of a range: `block/index`. */
export const truth = (chain: FakeChain, { from, to }: BlockRange, { topics }: LogFilter = wanted): string[] =>
  chain.flatMap((logs, block) =>
    block < from || block >= to
      ? []
      : logs.flatMap((log, n) => (topics.includes(log.topics[0] ?? '') ? [`${block}/${n}`] : [])),
  )
