import { openBloom, type Bloom } from './bloom.ts'
import { RpcFault } from './fault.ts'
import type { Log } from './log_shape.ts'
import type { Header } from './shapes.ts'

/**
 * The first topics of the wanted logs, of any of the addresses if there are some. In lower case. Logs with a topic of
 * `places` come without their data.
 */
export type LogFilter = { topics: readonly string[]; addresses?: readonly string[]; places?: ReadonlySet<string> }

/** Blocks from `from` up to but without `to`. */
export type BlockRange = { from: number; to: number }

/** A false positive of a bloom filter costs a request, so a busy filter is asked only about blocks without logs. */
const rareFalseShare = 0.02

const fail = (problem: string): never => {
  throw new RpcFault('check', problem)
}

/** Whether a filter wants a log. */
export function matches({ topics, addresses }: LogFilter): (log: Pick<Log, 'address' | 'topics'>) => boolean {
  const wanted = new Set(topics)
  return ({ address, topics: [topic = ''] }) =>
    wanted.has(topic) && (addresses === undefined || addresses.includes(address))
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
 * The headers whose bloom filters may have a wanted log that the answer lacks. Each needs a proof, since bloom filters
 * also pass texts that they do not have.
 */
export function unverifiedBlocks(
  logs: readonly Log[],
  headers: ReadonlyMap<number, Header>,
  { topics, addresses }: LogFilter,
): Header[] {
  const topicsByBlock = new Map<number, Set<string>>()
  for (const { block, topics: logTopics } of logs)
    topicsByBlock.set(block, (topicsByBlock.get(block) ?? new Set()).add(logTopics[0] ?? ''))
  return [...headers.values()].filter(({ block, bloom: text }) => {
    const bloom = openBloom(text)
    if (bloom === undefined) return false
    const shownTopics = topicsByBlock.get(block)
    if (shownTopics !== undefined && bloom.falseShare > rareFalseShare) return false
    if (addresses !== undefined && !addresses.some((address) => bloom.mayHave(address))) return false
    return topics.some((topic) => shownTopics?.has(topic) !== true && bloom.mayHave(topic))
  })
}
