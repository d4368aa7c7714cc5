import type { BlockRange, LogFilter } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import { readLogsAlone, type LogsOfStep } from '#sources/evm/rpc/logs.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'

/** `Transfer(address,address,uint256)`, of ERC-20 and ERC-721. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const topics = [transferTopic]
/** Logs are places here: the receipts of their transactions have the rest. */
const places = new Set(topics)

/** How often endpoints that differ are asked. */
const turns = 3

/** The Transfer logs of a holder in a range, and the blocks for which no two endpoints agree. */
export type HolderLogs = { logs: Log[]; unproved: BlockRange[] }

/**
 * Reads the Transfer logs that name an address as their sender or recipient, from two endpoints. If they
 * differ, others are asked, and then all again, until two have all logs that one of them had. Blocks without such a pair
 * are unproved. What only one endpoint has counts too, since the receipt of its transaction proves it.
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

/** The logs of a step that some endpoints had. */
type Answer = { names: readonly string[]; logs: readonly Log[] }

/** All logs that endpoints had of a step. `isProved`: two endpoints had each of them. */
async function agree(rpc: Rpc, filter: LogFilter, step: LogsOfStep): Promise<{ logs: Log[]; isProved: boolean }> {
  const all = new Map<string, Log>()
  const answers: Answer[] = []
  const add = (answer: Answer): void => {
    answers.push(answer)
    for (const log of answer.logs) all.set(placeOf(log), log)
  }
  const isProved = (): boolean => {
    const whole = answers.filter(({ logs }) => logs.length === all.size)
    return whole.some(({ names }) => whole.some((other) => !other.names.some((name) => names.includes(name))))
  }
  add({ names: [step.name], logs: step.logs })
  // In each turn every endpoint is asked once, in the first one beside that of the step.
  for (let [turn, names] = [0, [step.name]]; turn < turns; turn++, names = []) {
    for (;;) {
      const answer = await readElsewhere(rpc, filter, step, names)
      if (answer === undefined) break
      add(answer)
      if (isProved()) return { logs: sorted(all), isProved: true }
      names = [...names, ...answer.names]
    }
    // A single endpoint says the same again.
    if (answers.length === 1) break
  }
  return { logs: sorted(all), isProved: false }
}

/** The logs of a step from other endpoints than some; undefined if none answers. */
async function readElsewhere(
  rpc: Rpc,
  filter: LogFilter,
  { from, to }: BlockRange,
  except: readonly string[],
): Promise<Answer | undefined> {
  try {
    const steps = await readLogsAlone(rpc, filter, { from, to }, except)
    return { names: [...new Set(steps.map(({ name }) => name))], logs: steps.flatMap(({ logs }) => logs) }
  } catch (error) {
    if (!(error instanceof ChainFault)) throw error
    return undefined
  }
}

const placeOf = ({ block_hash, tx, log_index }: Log): string => `${block_hash} ${tx} ${log_index}`

const sorted = (logs: ReadonlyMap<string, Log>): Log[] =>
  [...logs.values()].toSorted((a, b) => a.block - b.block || a.log_index - b.log_index)
