import { headerCall, headersOf, hexOf, receiptsOf } from './blocks.ts'
import { RpcFault } from './fault.ts'
import {
  assertHeaders,
  assertLogs,
  assertLogsOfHeaders,
  matches,
  openBlocks,
  type BlockRange,
  type LogFilter,
} from './log_checks.ts'
import { logsShape, logsShapeOf, type Log } from './log_shape.ts'
import type { Call, RpcNode } from './node.ts'
import type { RangeSize } from './range_size.ts'
import type { Needs, Rpc } from './rpc.ts'
import type { Header } from './shapes.ts'

/** A step of a reading: the blocks that one answer has, and the endpoint. */
export type Step = BlockRange & { name: string }

/** The logs of a range, by block and index, with the header of each block. */
export type LogsReading = {
  logs: Log[]
  headers: Map<number, Header>
  steps: Step[]
  /** The blocks of which the headers do not show that all their logs are here. */
  open: Header[]
}

/**
 * Reads the logs of a range, with all headers, in steps that fit the endpoints. The steps tile the range. Throws a
 * `ChainFault` if no endpoint has an answer that agrees with itself.
 */
export async function readLogs(rpc: Rpc, filter: LogFilter, range: BlockRange): Promise<LogsReading> {
  const answers = await inSteps(rpc, { filter, range }, {}, async (node, asked) => {
    const { logs, last } = await logsIn(node, filter, asked)
    const headers = await headersOf(node, numbersIn({ ...asked, to: asked.to - 1 }))
    headers.set(asked.to - 1, last)
    assertHeaders(headers)
    assertLogsOfHeaders(logs, headers)
    return { logs, headers }
  })
  const headers = new Map(answers.flatMap(({ answer }) => [...answer.headers]))
  // Steps may come from endpoints on different forks.
  assertHeaders(headers)
  const logs = answers.flatMap(({ answer }) => answer.logs)
  const steps = answers.map(({ from, to, name }) => ({ from, to, name }))
  return { logs, headers, steps, open: openBlocks(logs, headers, filter) }
}

/**
 * Reads the logs of a range again from another endpoint than one. Of the headers it reads the last, which shows that the
 * endpoint has the same fork.
 */
export async function readLogsElsewhere(
  rpc: Rpc,
  filter: LogFilter,
  { name, ...range }: Step,
  headers: LogsReading['headers'],
): Promise<Log[]> {
  const answers = await inSteps(rpc, { filter, range }, { except: [name] }, async (node, asked) => {
    const { logs, last } = await logsIn(node, filter, asked)
    if (last.hash === headers.get(last.block)?.hash) return { logs }
    throw new RpcFault('check', `block ${last.block}: of another fork than its first header`)
  })
  return answers.flatMap(({ answer }) => answer.logs)
}

/** The logs of a step. */
export type LogsOfStep = Step & { logs: Log[] }

/**
 * Reads the logs of a range without the headers of its blocks, which nothing then proves: for filters with so few logs
 * that the headers would be most requests. `except` names endpoints that are not asked.
 */
export async function readLogsAlone(
  rpc: Rpc,
  filter: LogFilter,
  range: BlockRange,
  except: readonly string[] = [],
): Promise<LogsOfStep[]> {
  const answers = await inSteps(rpc, { filter, range }, { except }, (node, asked) => logsIn(node, filter, asked))
  return answers.map(({ from, to, name, answer: { logs } }) => ({ from, to, name, logs }))
}

type Answer<T> = Step & { answer: T }

const sizeOf = ({ state }: RpcNode, { holder }: LogFilter): RangeSize =>
  holder === undefined ? state.ranges : state.holderRanges

type Asked = { filter: LogFilter; range: BlockRange }

/** Does a piece of work for a range, as many blocks at once as each endpoint accepts. */
async function inSteps<T>(
  rpc: Rpc,
  { filter, range }: Asked,
  needs: Needs,
  work: (node: RpcNode, range: BlockRange) => Promise<T>,
): Promise<Answer<T>[]> {
  const answers: Answer<T>[] = []
  for (let from = range.from; from < range.to;) {
    const rest = { filter, range: { from, to: range.to } }
    const answer = await rpc.at((node) => inStep(node, rest, work), { ...needs, firstBlock: from })
    answers.push(answer)
    from = answer.to
  }
  return answers
}

async function inStep<T>(
  node: RpcNode,
  { filter, range: { from, to: end } }: Asked,
  work: (node: RpcNode, range: BlockRange) => Promise<T>,
): Promise<Answer<T>> {
  const ranges = sizeOf(node, filter)
  for (;;) {
    const to = Math.min(end, from + ranges.size())
    try {
      return { from, to, name: node.name, answer: await work(node, { from, to }) }
    } catch (error) {
      if (!(error instanceof RpcFault) || error.kind !== 'range' || to - from === 1) throw error
      ranges.fail(to - from, error.limit)
    }
  }
}

/** The logs of a range that an endpoint answers, with the header of the last block. */
async function logsIn(node: RpcNode, filter: LogFilter, range: BlockRange): Promise<{ logs: Log[]; last: Header }> {
  const { from, to } = range
  for (;;) {
    const parts = [filter, ...(filter.others ?? [])].flatMap((part) =>
      chunksOf(part.topics, node.state.topics).map((topics) => ({ ...part, topics })),
    )
    const calls: Call<unknown>[] = parts.flatMap((part) => logsCalls(part, range))
    try {
      // In one batch with the logs, the header shows that the same node has the last block.
      const answers = await node.batch([...calls, headerCall(to - 1)])
      const last = answers.pop() as Header | null
      if (last === null) throw new RpcFault('lag', `block ${to - 1}: null; expected its header`)
      const logs = withoutRepeated((answers as Log[][]).flat().toSorted(byPlace), filter)
      assertLogs(logs, range, filter)
      sizeOf(node, filter).succeed(to - from, logs.length)
      return { logs, last }
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
      const isOneBlock = error.kind === 'range' && to - from === 1
      if (isOneBlock) return logsOfReceipts(node, filter, from)
      if (error.kind !== 'filter' || filter.topics.length === 1 || node.state.topics === 1) throw error
      node.state.topics = Math.ceil(Math.min(node.state.topics, filter.topics.length) / 2)
    }
  }
}

/** The logs of a block that is too large for `eth_getLogs`. */
async function logsOfReceipts(node: RpcNode, filter: LogFilter, block: number): Promise<{ logs: Log[]; last: Header }> {
  const [last] = (await headersOf(node, [block])).values()
  if (last === undefined) throw new RpcFault('lag', `block ${block}: no header`)
  const receipts = await receiptsOf(node, last)
  const logs = receipts
    .flatMap(({ logs: all }) => all)
    .filter(matches(filter))
    .toSorted(byPlace)
  assertLogs(logs, { from: block, to: block + 1 }, filter)
  return { logs, last }
}

/** The calls for the logs of a range: two for a holder, who may be either party. */
function logsCalls({ topics, addresses, places, holder, parties }: LogFilter, { from, to }: BlockRange): Call<Log[]>[] {
  const lists =
    holder === undefined
      ? [[topics, ...(parties ?? [])]]
      : [
          [topics, holder],
          [topics, null, holder],
        ]
  return lists.map((list) => ({
    method: 'eth_getLogs',
    params: [
      { fromBlock: hexOf(from), toBlock: hexOf(to - 1), topics: list, ...(addresses && { address: addresses }) },
    ],
    shape: places === undefined ? logsShape : logsShapeOf(places),
  }))
}

/** What a holder sends to itself is in both answers. */
function withoutRepeated(sorted: Log[], { holder }: LogFilter): Log[] {
  if (holder === undefined) return sorted
  return sorted.filter((log, n) => {
    const last = sorted[n - 1]
    const isSame = last?.block === log.block && last.log_index === log.log_index
    return !isSame || log.topics[1] !== log.topics[2]
  })
}

const byPlace = (a: Log, b: Log): number => a.block - b.block || a.log_index - b.log_index

const numbersIn = ({ from, to }: BlockRange): number[] => Array.from({ length: to - from }, (_, n) => from + n)

/** The items in pieces of at most `size`; one empty piece for no items. */
function chunksOf<T>(items: readonly T[], size: number): T[][] {
  if (items.length <= size) return [[...items]]
  const chunks: T[][] = []
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size))
  return chunks
}
