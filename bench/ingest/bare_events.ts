import { join } from 'node:path'

import { BIGINT, INTEGER, VARCHAR } from '@duckdb/node-api'

import { openAppender, openTables, wordOf, signed } from './bare_tables.ts'
import { swapTopic } from './local_chain.ts'

/**
 * The least work from the swap events of a chain to Parquet: logs by their topic, four ranges at once, decoded by hand,
 * checked by nothing, and written as one sorted file. `bare_events.ts <url> <folder> <blocks>` prints the number of
 * swaps and the sum of their first amounts.
 */
const [url = '', folder = '', blocks = '0'] = process.argv.slice(2)
const [rangeSize, concurrency] = [100, 4]

type Log = {
  topics: string[]
  data: string
  address: string
  blockNumber: string
  blockTimestamp: string
  transactionHash: string
  logIndex: string
}

const hex = (value: number): string => `0x${value.toString(16)}`
async function logsOf(from: number, to: number): Promise<Log[]> {
  const params = [{ fromBlock: hex(from), toBlock: hex(to - 1), topics: [swapTopic] }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: Log[] }).result
}

const connection =
  await openTables(`create table swaps (block bigint, log_index integer, ts bigint, tx varchar, pool varchar,
  sender varchar, recipient varchar, amount0 varchar, amount1 varchar, sqrt_price varchar, liquidity varchar)`)
const swaps = await openAppender(connection, 'swaps', [BIGINT, INTEGER, BIGINT, ...Array(8).fill(VARCHAR)])
let [n_swaps, sum] = [0, 0n]

function add({ topics, data, address, ...at }: Log): void {
  const amounts = [signed(wordOf(data, 0)), signed(wordOf(data, 1))]
  const parties = [`0x${topics[1]?.slice(26)}`, `0x${topics[2]?.slice(26)}`]
  const state = [String(BigInt(`0x${wordOf(data, 2)}`)), String(BigInt(`0x${wordOf(data, 3)}`))]
  const place = [BigInt(at.blockNumber), Number(at.logIndex), BigInt(at.blockTimestamp), at.transactionHash, address]
  swaps.push([...place, ...parties, ...amounts.map(String), ...state])
  n_swaps += 1
  sum += amounts[0] ?? 0n
}

const end = Number(blocks) + 1
const ranges = Array.from({ length: Math.ceil(end / rangeSize) }, (_, n) => n * rangeSize)
const work = async (): Promise<void> => {
  for (let from = ranges.shift(); from !== undefined; from = ranges.shift())
    for (const log of await logsOf(from, Math.min(end, from + rangeSize))) add(log)
}
await Promise.all(Array.from({ length: concurrency }, work))
swaps.close()
const file = join(folder, 'swaps.parquet')
await connection.run(`copy (from swaps order by block, log_index) to '${file}' (format parquet, compression zstd)`)
console.log(JSON.stringify({ n_swaps, sum: String(sum) }))
