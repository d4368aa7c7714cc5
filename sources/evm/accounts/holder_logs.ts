import type { BlockRange, LogFilter } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import { readLogsAlone, type LogsOfStep } from '#sources/evm/rpc/logs.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'

/** `Transfer(address,address,uint256)`, of ERC-20 and ERC-721. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const topics = [transferTopic]
/** Logs are places here: the receipts of their transactions have the rest. */
const places = new Set(topics)

/** How often two endpoints that differ are asked again. */
const repetitions = 2

/** The Transfer logs of a holder in a range, and the blocks for which no two endpoints agree. */
export type HolderLogs = { logs: Log[]; unproved: BlockRange[] }

/**
 * Reads the Transfer logs that name an address as their sender or recipient, from two endpoints. What only one of them
 * has counts too, since the receipt of its transaction proves it. Blocks for which they differ also when asked again, or
 * which only one endpoint answers, are unproved.
 */
export async function readHolderLogs(rpc: Rpc, address: string, range: BlockRange): Promise<HolderLogs> {
  const filter: LogFilter = { topics, places, holder: `0x${address.slice(2).padStart(64, '0')}` }
  const logs: Log[] = []
  const unproved: BlockRange[] = []
  for (const step of await readLogsAlone(rpc, filter, range)) {
    const agreed = await agree(rpc, filter, step)
    logs.push(...agreed.logs)
    if (!agreed.isProved) unproved.push({ from: step.from, to: step.to })
  }
  return { logs, unproved }
}

/** All logs that endpoints had of a step. `isProved`: two of them had each. */
async function agree(rpc: Rpc, filter: LogFilter, step: LogsOfStep): Promise<{ logs: Log[]; isProved: boolean }> {
  const all = new Map(step.logs.map((log) => [placeOf(log), log]))
  const add = (logs: readonly Log[]): void => {
    for (const log of logs) all.set(placeOf(log), log)
  }
  let first: LogsOfStep[] = [step]
  for (let n = 0; n <= repetitions; n++) {
    const second = await readElsewhere(rpc, filter, first)
    if (second === undefined) break
    const [shown, again] = [first.flatMap(({ logs }) => logs), second.flatMap(({ logs }) => logs)]
    add(again)
    if (shown.length === all.size && again.length === all.size) return { logs: sorted(all), isProved: true }
    first = await readLogsAlone(rpc, filter, step)
    add(first.flatMap(({ logs }) => logs))
  }
  return { logs: sorted(all), isProved: false }
}

/** The same steps from other endpoints; undefined if none answers. */
async function readElsewhere(
  rpc: Rpc,
  filter: LogFilter,
  steps: readonly LogsOfStep[],
): Promise<LogsOfStep[] | undefined> {
  const read: LogsOfStep[] = []
  for (const { from, to, name } of steps) {
    const answers = await readLogsAlone(rpc, filter, { from, to }, name).catch((error: unknown) => {
      if (!(error instanceof ChainFault)) throw error
    })
    if (answers === undefined) return undefined
    read.push(...answers)
  }
  return read
}

const placeOf = ({ block_hash, tx, log_index }: Log): string => `${block_hash} ${tx} ${log_index}`

const sorted = (logs: ReadonlyMap<string, Log>): Log[] =>
  [...logs.values()].toSorted((a, b) => a.block - b.block || a.log_index - b.log_index)
