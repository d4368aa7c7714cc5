import { join } from 'node:path'

import { BIGINT, INTEGER, VARCHAR } from '@duckdb/node-api'

import { openAppender, openTables, signed, wordOf } from './bare_tables.ts'
import { swapTopic } from './local_chain.ts'

/**
 * The least work that makes the same requests as `evm_swaps`: it sends them one after the other for each range, four
 * ranges at once, checks nothing, and writes swaps and transactions as two sorted Parquet files.
 * `bare_loop.ts <url> <folder> <blocks>` prints the number of swaps and the sum of their first amounts.
 */
const [url = '', folder = '', blocks = '0'] = process.argv.slice(2)
const [rangeSize, batchSize, groupSize, concurrency] = [100, 20, 20, 4]

type Log = { topics: string[]; data: string; logIndex: string; address: string }
type Receipt = {
  transactionHash: string
  blockNumber: string
  transactionIndex: string
  from: string
  gasUsed: string
  effectiveGasPrice: string
  logs: Log[]
}
type Call = readonly [string, ...unknown[]]

const hex = (value: number): string => `0x${value.toString(16)}`
async function send(calls: readonly Call[]): Promise<unknown[]> {
  const body = JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: unknown }[]).map(({ result }) => result)
}

const connection = await openTables(
  `create table swaps (block bigint, tx_index integer, tx varchar, log_index integer, ts bigint, pool varchar,
     sender varchar, recipient varchar, amount0 varchar, amount1 varchar, sqrt_price varchar, liquidity varchar)`,
  'create table transactions (block bigint, tx_index integer, tx varchar, ts bigint, sender varchar, gas_used bigint, fee varchar)',
)
const swaps = await openAppender(connection, 'swaps', [
  BIGINT,
  INTEGER,
  VARCHAR,
  INTEGER,
  BIGINT,
  ...Array(7).fill(VARCHAR),
])
const transactions = await openAppender(connection, 'transactions', [
  BIGINT,
  INTEGER,
  VARCHAR,
  BIGINT,
  VARCHAR,
  BIGINT,
  VARCHAR,
])

let [n_swaps, sum] = [0, 0n]

function addReceipt({ transactionHash: tx, blockNumber, transactionIndex, ...receipt }: Receipt, ts: bigint): void {
  const [block, tx_index] = [BigInt(blockNumber), Number(transactionIndex)]
  const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  transactions.push([block, tx_index, tx, ts, receipt.from, BigInt(receipt.gasUsed), String(fee)])
  for (const { topics, data, logIndex, address } of receipt.logs) {
    if (topics[0] !== swapTopic) continue
    const amounts = [signed(wordOf(data, 0)), signed(wordOf(data, 1))]
    const parties = [`0x${topics[1]?.slice(26)}`, `0x${topics[2]?.slice(26)}`]
    const state = [String(BigInt(`0x${wordOf(data, 2)}`)), String(BigInt(`0x${wordOf(data, 3)}`))]
    swaps.push([block, tx_index, tx, Number(logIndex), ts, address, ...parties, ...amounts.map(String), ...state])
    n_swaps += 1
    sum += amounts[0] ?? 0n
  }
}

async function readRange(from: number, to: number): Promise<void> {
  await send([
    ['eth_getLogs', { fromBlock: hex(from), toBlock: hex(to - 1), topics: [[swapTopic]] }],
    ['eth_getBlockByNumber', hex(to - 1), false],
  ])
  const numbers = Array.from({ length: to - from }, (_, n) => from + n)
  for (let at = 0; at < numbers.length; at += batchSize)
    await send(numbers.slice(at, at + batchSize).map((n): Call => ['eth_getBlockByNumber', hex(n), false]))
  for (let at = 0; at < numbers.length; at += groupSize) {
    const group = numbers.slice(at, at + groupSize)
    const full = (await send(group.map((n): Call => ['eth_getBlockByNumber', hex(n), true]))) as { timestamp: string }[]
    const receipts = (await send(group.map((n): Call => ['eth_getBlockReceipts', hex(n)]))) as Receipt[][]
    for (const [n, ofBlock] of receipts.entries())
      for (const receipt of ofBlock) addReceipt(receipt, BigInt(full[n]?.timestamp ?? 0))
  }
}

const end = Number(blocks) + 1
const ranges = Array.from({ length: Math.ceil(end / rangeSize) }, (_, n) => n * rangeSize)
const work = async (): Promise<void> => {
  for (let from = ranges.shift(); from !== undefined; from = ranges.shift())
    await readRange(from, Math.min(end, from + rangeSize))
}
await Promise.all(Array.from({ length: concurrency }, work))
swaps.close()
transactions.close()
for (const [table, order] of [
  ['swaps', 'block, tx_index, tx, log_index'],
  ['transactions', 'block, tx_index, tx'],
] as const)
  await connection.run(
    `copy (from ${table} order by ${order}) to '${join(folder, `${table}.parquet`)}' (format parquet, compression zstd)`,
  )
console.log(JSON.stringify({ n_swaps, sum: String(sum) }))
