import { headerCall, headersOf, hexOf, receiptsOf } from './blocks.ts'
import { bloomOf } from './bloom.ts'
import { RpcFault } from './fault.ts'
import {
  assertHeaders,
  assertLogs,
  assertLogsOfHeaders,
  matches,
  unverifiedBlocks,
  type BlockRange,
  type LogFilter,
} from './log_checks.ts'
import { logsShape, logsShapeOf, type Log } from './log_shape.ts'
import type { Call, RpcNode } from './node.ts'
import { ChainFault, type Rpc } from './rpc.ts'
import type { Header } from './shapes.ts'

/**
 * The blocks whose bloom filters are checked. `every block` costs a header a block and also proves that a block without
 * logs has none; `blocks with logs` reads only the headers that the logs need.
 */
export type Proof = 'every block' | 'blocks with logs'

/** The logs of a range, by block and index, with the headers of their blocks and that of the last block. */
export type LogsReading = {
  logs: Log[]
  headers: Map<number, Header>
  /** The reason why logs may be missing. Without it, all checks passed. */
  incomplete?: string
}

/** A reading that may lack logs. It counts only if no endpoint has a better one. */
class OpenReading extends RpcFault {
  readonly reading: Step

  constructor(reason: string, reading: Step) {
    super('check', reason)
    this.name = 'OpenReading'
    this.reading = reading
  }
}

type Step = { to: number; logs: Log[]; headers: Map<number, Header> }

/**
 * Reads the logs of a range in steps that fit the endpoints. The steps tile the range. Throws a `ChainFault` if no
 * endpoint has an answer that agrees with itself.
 */
export async function readLogs(rpc: Rpc, filter: LogFilter, range: BlockRange, proof: Proof): Promise<LogsReading> {
  const reading: LogsReading = { logs: [], headers: new Map() }
  const steps: Log[][] = []
  for (let from = range.from; from < range.to;) {
    const rest = { from, to: range.to }
    const step = await rpc
      .at((node) => readStep(node, filter, rest, proof), { firstBlock: from })
      .catch((error: unknown) => {
        const faults = error instanceof ChainFault ? error.faults : []
        const open = faults.find((fault) => fault instanceof OpenReading)
        if (open === undefined) throw error
        reading.incomplete ??= `blocks from ${from}: ${open.message}`
        return open.reading
      })
    steps.push(step.logs)
    for (const [block, header] of step.headers) reading.headers.set(block, header)
    from = step.to
  }
  // Steps may come from endpoints on different forks.
  assertHeaders(reading.headers)
  return { ...reading, logs: steps.flat() }
}

/** Reads the start of a range from one endpoint: as many blocks as it accepts. */
async function readStep(node: RpcNode, filter: LogFilter, { from, to: end }: BlockRange, proof: Proof): Promise<Step> {
  for (;;) {
    const to = Math.min(end, from + node.state.ranges.size())
    try {
      return await readRange(node, filter, { from, to }, proof)
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
      if (error.kind === 'filter' && filter.topics.length > 1 && node.state.topics > 1) {
        node.state.topics = Math.ceil(Math.min(node.state.topics, filter.topics.length) / 2)
      } else if (error.kind === 'range') {
        node.state.ranges.fail(to - from, error.limit)
        if (to - from === 1) return readOneBlock(node, filter, from)
      } else throw error
    }
  }
}

async function readRange(node: RpcNode, filter: LogFilter, range: BlockRange, proof: Proof): Promise<Step> {
  const { from, to } = range
  const parts = chunksOf(filter.topics, node.state.topics)
  const calls: Call<unknown>[] = parts.map((topics) => logsCall({ ...filter, topics }, range))
  // In one batch with the logs, the header shows that the same node has the last block.
  const answers = await node.batch([...calls, headerCall(to - 1)])
  const last = answers.pop() as Header | null
  if (last === null) throw new RpcFault('lag', `block ${to - 1}: null; expected its header`)
  const logs = (answers as Log[][]).flat().toSorted(byPlace)
  assertLogs(logs, range, filter)
  const wanted = new Set(proof === 'every block' ? numbersOf(range) : logs.map(({ block }) => block))
  wanted.delete(to - 1)
  const headers = await headersOf(node, [...wanted])
  headers.set(to - 1, last)
  assertHeaders(headers)
  assertLogsOfHeaders(logs, headers)
  node.state.ranges.succeed(to - from, logs.length)
  const step = { to, logs, headers }
  for (const header of unverifiedBlocks(logs, headers, filter)) await proveBlock(node, header, filter, step)
  return step
}

/** Reads all logs of a block that is too large for `eth_getLogs`, from its receipts. */
async function readOneBlock(node: RpcNode, filter: LogFilter, block: number): Promise<Step> {
  const headers = await headersOf(node, [block])
  const [header] = headers.values()
  if (header === undefined) throw new RpcFault('lag', `block ${block}: no header`)
  const receipts = await receiptsOf(node, header)
  const logs = receipts
    .flatMap(({ logs: receiptLogs }) => receiptLogs)
    .filter(matches(filter))
    .toSorted(byPlace)
  assertLogs(logs, { from: block, to: block + 1 }, filter)
  assertLogsOfHeaders(logs, headers)
  return { to: block + 1, logs, headers }
}

/**
 * Proves that the answer has all wanted logs of a block: all logs of the block together give the bloom filter of its
 * header. Throws a fault if the answer lacks a log, and an {@link OpenReading} without a proof.
 */
async function proveBlock(node: RpcNode, header: Header, filter: LogFilter, step: Step): Promise<void> {
  const all = await allLogsOf(node, header)
  if (all === undefined || bloomOf(all) !== header.bloom) {
    throw new OpenReading(`block ${header.block}: its bloom filter may have a log that the answer lacks`, step)
  }
  const places = (logs: readonly Log[]): string =>
    logs
      .map(({ log_index }) => log_index)
      .toSorted((a, b) => a - b)
      .join()
  const shown = step.logs.filter(({ block }) => block === header.block)
  if (places(all.filter(matches(filter))) !== places(shown))
    throw new RpcFault('check', `block ${header.block}: the answer lacks logs that the block has`)
}

/** Every log of a block, without a filter; undefined if the endpoint does not serve them. */
async function allLogsOf(node: RpcNode, header: Header): Promise<Log[] | undefined> {
  const call = { method: 'eth_getLogs', params: [{ blockHash: header.hash }], shape: logsShape }
  const readings = [() => node.call(call), async () => (await receiptsOf(node, header)).flatMap(({ logs }) => logs)]
  for (const read of readings) {
    try {
      const logs = await read()
      if (logs.every(({ block_hash }) => block_hash === header.hash) && bloomOf(logs) === header.bloom) return logs
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
    }
  }
  return undefined
}

const logsCall = ({ topics, addresses, places }: LogFilter, { from, to }: BlockRange): Call<Log[]> => ({
  method: 'eth_getLogs',
  params: [
    { fromBlock: hexOf(from), toBlock: hexOf(to - 1), topics: [topics], ...(addresses && { address: addresses }) },
  ],
  shape: places === undefined ? logsShape : logsShapeOf(places),
})

const byPlace = (a: Log, b: Log): number => a.block - b.block || a.log_index - b.log_index

const numbersOf = ({ from, to }: BlockRange): number[] => Array.from({ length: to - from }, (_, n) => from + n)

/** The items in pieces of at most `size`; one empty piece for no items. */
function chunksOf<T>(items: readonly T[], size: number): T[][] {
  if (items.length <= size) return [[...items]]
  const chunks: T[][] = []
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size))
  return chunks
}
