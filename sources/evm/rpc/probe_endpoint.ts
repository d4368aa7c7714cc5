import { z } from 'zod'

import type { Timers } from '#ingest/http/rate_limiter.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { hasTraceMethod } from '#sources/evm/traces/read_traces.ts'

import { headerCall, hexOf } from './blocks.ts'
import { RpcFault } from './fault.ts'
import type { Call, RpcNode } from './node.ts'
import { quantity, safeQuantity } from './shapes.ts'

/** The abilities of an endpoint. Undefined: not found out before the deadline. */
export type EndpointReport = {
  verdict: 'alive' | 'stale' | 'dead' | 'wrong chain'
  /** The reason, unless it is alive. */
  reason?: string
  chain_id?: number
  head?: number
  /** The age of its newest block in seconds. */
  head_age_s?: number
  /** The most blocks of an `eth_getLogs` that it accepts, up to 10,000; 0 if it accepts none. */
  n_range?: number
  /** The most calls of a batch that it accepts, up to 100. */
  n_batch?: number
  has_receipts?: boolean
  /** Whether it has the calls of a transaction; undefined also if none of its last blocks has a transaction. */
  has_traces?: boolean
  /** The blocks from its final block to its head; null if it names none. */
  n_unfinal?: number | null
  /** The blocks below the head whose state it has; null if it has that of block 1. */
  n_state?: number | null
}

const ranges = [10_000, 5_000, 2_000, 1_000, 500, 100, 10, 1]
const batches = [100, 50, 20, 10, 3]
const depths = [1_000_000, 100_000, 10_000, 1_000, 128, 0]
/** A topic that no log has, so that the size of the answer does not decide. */
const noTopic = `0x${'0'.repeat(63)}1`
/** A head older than ten blocks, and than two minutes, is stale. */
const stale = { blocks: 10, least_s: 120, unknown_s: 600 }

/** Finds out what an endpoint can do, in about 20 requests. A dead endpoint is a report, not an error. */
export async function probeEndpoint(
  node: RpcNode,
  chain: Chain,
  { now_ms, sleep }: Timers,
  deadline_ms: number,
): Promise<EndpointReport> {
  const report: EndpointReport = { verdict: 'dead' }
  const stop = new AbortController()
  const work = fill(report, node, chain, now_ms).then(
    () => undefined,
    (error: unknown) => (error instanceof RpcFault ? error.message : Promise.reject(error)),
  )
  const late = sleep(deadline_ms, stop.signal).then(
    () => `no whole answer within ${deadline_ms / 1_000} s`,
    () => undefined,
  )
  const reason = await Promise.race([work, late])
  stop.abort()
  return { ...report, ...(reason === undefined || report.reason !== undefined ? {} : { reason }) }
}

async function fill(report: EndpointReport, node: RpcNode, chain: Chain, now_ms: () => number): Promise<void> {
  const id = await node.call({ method: 'eth_chainId', params: [], shape: safeQuantity })
  report.chain_id = id
  if (id !== chain.id) {
    report.verdict = 'wrong chain'
    report.reason = `chain id ${id}; expected ${chain.id}`
    return
  }
  const head = await node.call({ method: 'eth_blockNumber', params: [], shape: safeQuantity })
  report.head = head
  const header = await node.call(headerCall(head))
  if (header === null) throw new RpcFault('lag', `block ${head}: null; expected the header of its head`)
  report.head_age_s = Math.max(0, Math.round(now_ms() / 1_000 - header.time_s))
  const limit_s =
    chain.block_ms === null ? stale.unknown_s : Math.max(stale.least_s, (stale.blocks * chain.block_ms) / 1_000)
  report.verdict = report.head_age_s > limit_s ? 'stale' : 'alive'
  if (report.verdict === 'stale') report.reason = `its head is ${report.head_age_s} s old`
  const final = await node.call(headerCall('finalized')).catch(asUndefined)
  report.n_unfinal = final === null || final === undefined ? null : head - final.block
  report.has_receipts = await serves(node, {
    method: 'eth_getBlockReceipts',
    params: [hexOf(head)],
    shape: z.array(z.unknown()),
  })
  const traced = await tracesOf(node, head)
  if (traced !== undefined) report.has_traces = traced
  report.n_range = await rangeOf(node, head)
  report.n_batch = await batchOf(node)
  report.n_state = await stateDepth(node, head)
}

const blockShape = z.looseObject({ transactions: z.array(z.unknown()) }).nullable()
/** The last blocks in which a transaction is searched. Batches are not found out yet, so each is a request. */
const mostBlocks = 3

/** Whether an endpoint has the calls of its last transaction. */
async function tracesOf(node: RpcNode, head: number): Promise<boolean | undefined> {
  for (let block = head; block > Math.max(0, head - mostBlocks); block--) {
    const params = [hexOf(block), false]
    const answer = await node.call({ method: 'eth_getBlockByNumber', params, shape: blockShape }).catch(asUndefined)
    const tx = answer?.transactions.at(-1)
    if (typeof tx === 'string') return hasTraceMethod(node, tx)
  }
  return undefined
}

/** The first accepted range. An error that names a limit is taken at its word. */
async function rangeOf(node: RpcNode, head: number): Promise<number> {
  let named = Number.POSITIVE_INFINITY
  for (const size of ranges) {
    const blocks = Math.min(size, named, head + 1)
    const params = [{ fromBlock: hexOf(head - blocks + 1), toBlock: hexOf(head), topics: [noTopic] }]
    try {
      await node.call({ method: 'eth_getLogs', params, shape: z.array(z.unknown()) })
      return blocks
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
      if (error.kind !== 'range') return 0
      if (error.limit !== undefined && error.limit < blocks) named = error.limit
    }
  }
  return 0
}

async function batchOf(node: RpcNode): Promise<number> {
  const call = { method: 'eth_chainId', params: [], shape: quantity }
  for (const size of batches) {
    const answered = await node.once(Array.from({ length: size }, () => call)).catch(asUndefined)
    if (answered !== undefined) return size
  }
  return 1
}

async function stateDepth(node: RpcNode, head: number): Promise<number | null> {
  const call = (block: number): Call<bigint> => ({
    method: 'eth_getBalance',
    params: [`0x${'0'.repeat(40)}`, hexOf(block)],
    shape: quantity,
  })
  if (await serves(node, call(1))) return null
  for (const depth of depths) if (depth < head && (await serves(node, call(head - depth)))) return depth
  return 0
}

const serves = async (node: RpcNode, call: Call<unknown>): Promise<boolean> =>
  node.call(call).then(
    () => true,
    (error: unknown) => asUndefined(error) !== undefined,
  )

/** A fault is an answer to a probe; a mistake is thrown. */
function asUndefined(error: unknown): undefined {
  if (!(error instanceof RpcFault)) throw error
  return undefined
}
