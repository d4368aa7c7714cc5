import { z } from 'zod'

import type { HostName } from '#ingest/http/host.ts'
import type { Get, Json } from '#ingest/http/request.ts'
import { zodReason } from '#ingest/http/response.ts'

import type { EndpointState } from './endpoint_state.ts'
import { faultOf, faultOfRequest, RpcFault } from './fault.ts'

/** A call and the shape of its result. */
export type Call<T> = { method: string; params: readonly Json[]; shape: z.ZodType<T> }

/** One endpoint. Its calls throw an {@link RpcFault}. */
export type RpcNode = {
  name: HostName
  state: EndpointState
  /** Sends a call alone. */
  call: <T>(call: Call<T>) => Promise<T>
  /** Sends calls in one batch, whatever its size. */
  once: <T>(calls: readonly Call<T>[]) => Promise<T[]>
  /** Sends calls in batches as large as the endpoint accepts. The results have the order of the calls. */
  batch: <T>(calls: readonly Call<T>[]) => Promise<T[]>
  /** The same for calls that may be refused one by one: the fault of a refused call stands in its place. */
  batchEach: <T>(calls: readonly Call<T>[]) => Promise<(T | RpcFault)[]>
}

/** The failover to another endpoint takes over, so few attempts are worth their time. */
const attempts = 2

/** Speaks JSON-RPC 2.0 with one endpoint. */
export function createNode(name: HostName, state: EndpointState, get: Get): RpcNode {
  const send = async (body: Json): Promise<unknown> => {
    try {
      return await get({ host: name, path: '', method: 'POST', body, attempts }, z.unknown())
    } catch (error) {
      throw faultOfRequest(error)
    }
  }
  const call = async <T>(rpcCall: Call<T>): Promise<T> => resultOf(rpcCall, await send(bodyOf(rpcCall, 0)), 0)

  /** Sends calls in one request. `take` gives the result of a call, or throws its fault. */
  const sendAll = async <T, R>(
    calls: readonly Call<T>[],
    take: (rpcCall: Call<T>, reply: unknown, id: number) => R,
  ): Promise<R[]> => {
    const [first] = calls
    if (first === undefined) return []
    if (calls.length === 1) return [take(first, await send(bodyOf(first, 0)), 0)]
    const answer = await send(calls.map(bodyOf)).catch(asBatchFault)
    if (!Array.isArray(answer)) {
      const { error } = replyShape.safeParse(answer).data ?? {}
      return asBatchFault(error ? faultOf('batch', error) : new RpcFault('batch', 'batch: no array as its answer'))
    }
    const replies = new Map(answer.map((reply: unknown) => [idOf(reply), reply]))
    return calls.map((rpcCall, id) => take(rpcCall, replies.get(id), id))
  }
  const sendBatch = <T>(calls: readonly Call<T>[]): Promise<T[]> => sendAll(calls, resultOf)
  const sendEach = <T>(calls: readonly Call<T>[]): Promise<(T | RpcFault)[]> => sendAll(calls, resultOrFault)

  /** A refused batch is sent again in halves. A rate limit inside a batch may count its calls. */
  const halved = async <T, R>(
    calls: readonly Call<T>[],
    sendAtOnce: (calls: readonly Call<T>[]) => Promise<R[]>,
  ): Promise<R[]> => {
    try {
      const results = await sendAtOnce(calls)
      state.batches.succeed(calls.length)
      return results
    } catch (error) {
      const mayPassInHalves = error instanceof RpcFault && ['batch', 'rate limit', 'range'].includes(error.kind)
      const isOfLogs = calls.some(({ method }) => method === 'eth_getLogs')
      if (!mayPassInHalves || calls.length === 1 || (error.kind === 'range' && isOfLogs)) throw error
      const half = Math.ceil(calls.length / 2)
      state.batches.fail(calls.length, error.kind === 'batch')
      return [...(await halved(calls.slice(0, half), sendAtOnce)), ...(await halved(calls.slice(half), sendAtOnce))]
    }
  }

  const inBatches = async <T, R>(
    calls: readonly Call<T>[],
    sendAtOnce: (calls: readonly Call<T>[]) => Promise<R[]>,
  ): Promise<R[]> => {
    const results: R[] = []
    for (let at = 0; at < calls.length;) {
      const size = state.batches.size()
      results.push(...(await halved(calls.slice(at, at + size), sendAtOnce)))
      at += size
    }
    return results
  }

  return {
    name,
    state,
    call,
    once: sendBatch,
    batch: (calls) => inBatches(calls, sendBatch),
    batchEach: (calls) => inBatches(calls, sendEach),
  }
}

/** Throws a fault of a whole batch. Some nodes answer any array with a status or an error that does not say so. */
function asBatchFault(error: unknown): never {
  if (!(error instanceof RpcFault) || !['method', 'other'].includes(error.kind)) throw error
  throw new RpcFault('batch', error.message)
}

const bodyOf = ({ method, params }: Call<unknown>, id: number) => ({ jsonrpc: '2.0', id, method, params })

const idShape = z.object({ id: z.coerce.number() })
/** The id of a reply, which most nodes write as the number that they got. */
function idOf(reply: unknown): number | undefined {
  const id = (reply as { id?: unknown } | null | undefined)?.id
  return typeof id === 'number' ? id : idShape.safeParse(reply).data?.id
}

const replyShape = z.looseObject({
  result: z.unknown().optional(),
  error: z
    .looseObject({ code: z.number().optional().catch(undefined), message: z.string().optional().catch(undefined) })
    // Some nodes write no error as null, which version 2.0 has not.
    .nullish(),
})

/** The parsed result of a reply. A reply without a result and an error is malformed. */
function resultOf<T>({ method, shape }: Call<T>, reply: unknown, id: number): T {
  if (reply === undefined) throw malformed(method, `no reply to call ${id}`)
  const parsed = shape.safeParse(resultIn(method, reply))
  if (!parsed.success) throw malformed(method, zodReason(parsed.error))
  return parsed.data
}

/** The result as it came. A reply without an error is not copied, since it may have hundreds of thousands of logs. */
function resultIn(method: string, reply: unknown): unknown {
  if (typeof reply === 'object' && reply !== null && 'result' in reply && !('error' in reply)) return reply.result
  const { data: envelope } = replyShape.safeParse(reply)
  if (envelope === undefined) throw malformed(method, 'no JSON-RPC reply')
  if (envelope.error) throw faultOf(method, envelope.error)
  if (!('result' in envelope)) throw malformed(method, 'a reply without a result')
  return envelope.result
}

/** Faults that concern all calls of a batch, not the call alone. */
const ofBatch: ReadonlySet<string> = new Set(['batch', 'rate limit', 'quota'])

function resultOrFault<T>(call: Call<T>, reply: unknown, id: number): T | RpcFault {
  try {
    return resultOf(call, reply, id)
  } catch (error) {
    if (!(error instanceof RpcFault) || ofBatch.has(error.kind)) throw error
    return error
  }
}

const malformed = (method: string, problem: string): RpcFault =>
  new RpcFault('check', `${method}: ${problem}; expected its result`)
