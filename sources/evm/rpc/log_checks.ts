import { emptyBloom, openBloom, type Bloom } from './bloom.ts'
import { RpcFault } from './fault.ts'
import type { Log } from './log_shape.ts'
import { emptyRoot } from './receipts_root.ts'
import type { Header } from './shapes.ts'

/**
 * The first topics of the wanted logs, of any of the addresses if there are some. In lower case. Logs with a topic of
 * `places` come without their data. With a `holder`, an address as a topic, only logs count that have it as their second
 * or third topic: of a Transfer its sender or recipient. `parties` are the accepted topics by position, from the second
 * on; null accepts any. `others` are further filters, and a log counts that any of them wants. No two want the same log.
 */
export type LogFilter = {
  topics: readonly string[]
  addresses?: readonly string[]
  places?: ReadonlySet<string>
  holder?: string
  parties?: readonly (readonly string[] | null)[]
  others?: readonly LogFilter[]
}

/** Blocks from `from` up to but without `to`. */
export type BlockRange = { from: number; to: number }

const fail = (problem: string): never => {
  throw new RpcFault('check', problem)
}

/** Whether a filter wants a log. */
export function matches(filter: LogFilter): (log: Pick<Log, 'address' | 'topics'>) => boolean {
  const { topics, addresses, holder, parties = [], others = [] } = filter
  const wanted = new Set(topics)
  const isOfOthers = others.map(matches)
  return (log) => {
    const { address, topics: all } = log
    const [topic = '', second, third] = all
    return (
      (wanted.has(topic) &&
        (addresses === undefined || addresses.includes(address)) &&
        (holder === undefined || second === holder || third === holder) &&
        parties.every((accepted, n) => accepted?.includes(all[n + 1] ?? '') ?? true)) ||
      isOfOthers.some((isWanted) => isWanted(log))
    )
  }
}

/** Checks the logs of an answer by themselves, in the order of their places. Throws a fault of the kind `check`. */
export function assertLogs(logs: readonly Log[], { from, to }: BlockRange, filter: LogFilter): void {
  const isWanted = matches(filter)
  let last: Log | undefined
  for (const log of logs) {
    const { block, log_index } = log
    if (block < from || block >= to) fail(`log of block ${block}: outside of ${from}-${to - 1}`)
    if (log.is_removed) fail(`log ${log_index} of block ${block}: removed by a reorganization`)
    if (!isWanted(log)) fail(`log ${log_index} of block ${block}: of another topic or address`)
    if (last?.block === block && last.log_index === log_index) fail(`log ${log_index} of block ${block}: twice`)
    last = log
  }
}

/** Checks headers: the asked numbers, each with its parent, where the header before it is known. */
export function assertHeaders(headers: ReadonlyMap<number, Header>): void {
  for (const [number, { block, parent_hash }] of headers) {
    if (block !== number) fail(`block ${number}: answered with block ${block}`)
    const before = headers.get(number - 1)
    if (before !== undefined && before.hash !== parent_hash)
      fail(`block ${number}: its parent is not block ${number - 1}`)
  }
}

/** Checks logs by the headers of their blocks: the hash, and the bloom filter. The logs lie in the order of blocks. */
export function assertLogsOfHeaders(logs: readonly Log[], headers: ReadonlyMap<number, Header>): void {
  let header: Header | undefined
  let bloom: Bloom | undefined
  let last: Log | undefined
  for (const log of logs) {
    const { block, block_hash, log_index, address, topics } = log
    if (header?.block !== block) {
      header = headers.get(block)
      if (header === undefined) return fail(`block ${block}: no header`)
      bloom = openBloom(header.bloom)
    }
    if (header.hash !== block_hash) fail(`log ${log_index} of block ${block}: of another fork than its header`)
    const isTested = last?.block === block && last.address === address && last.topics[0] === topics[0]
    last = log
    // Other topics repeat rarely, so their hashes would cost more than the rest of the reading.
    if (isTested || bloom === undefined || (bloom.mayHave(address) && bloom.mayHave(topics[0] ?? ''))) continue
    fail(`log ${log_index} of block ${block}: not in the bloom filter of its header`)
  }
}

/**
 * The blocks that may have a wanted log that the answer lacks. A filter shows that a topic is missing, and not how many
 * logs have it, so that each block with a wanted log is among them.
 */
export function openBlocks(logs: readonly Log[], headers: ReadonlyMap<number, Header>, filter: LogFilter): Header[] {
  const withLogs = new Set(logs.map(({ block }) => block))
  const all = [...headers.values()]
  const areWritten =
    all.some(({ bloom }) => openBloom(bloom) !== undefined) &&
    !all.some(({ block, bloom }) => withLogs.has(block) && openBloom(bloom) === undefined)
  return all.filter((header) => withLogs.has(header.block) || !isWithout(header, filter, areWritten))
}

/**
 * Whether a header shows that its block has no wanted log. An empty filter does where others of the range are not. Some
 * nodes answer with a block without its transactions, so that the root of no receipts must agree.
 */
function isWithout(header: Header, filter: LogFilter, areWritten: boolean): boolean {
  const { bloom: text, n_transactions, receipts_root } = header

  const bloom = openBloom(text)
  if (bloom === undefined)
    return (n_transactions === 0 && receipts_root === emptyRoot) || (areWritten && text === emptyBloom)
  return [filter, ...(filter.others ?? [])].every(({ addresses, topics, parties = [] }) =>
    [addresses, topics, ...parties].some((list) => list?.some((value) => bloom.mayHave(value)) === false),
  )
}
