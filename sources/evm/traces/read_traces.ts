import { z } from 'zod'

import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Call, RpcNode } from '#sources/evm/rpc/node.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'

import { callsOfFrames, callsOfTraces, type NativeCall } from './native_calls.ts'

/** A transaction and what its rows show of the native coin: the value sent, and the amounts wrapped and unwrapped. */
export type TracedTransaction = {
  tx: string
  sender: string
  recipient: string | null
  amount: bigint
  wrapped: bigint
  unwrapped: bigint
}

/** A method that names the calls of a transaction. */
type Method = { name: string; params: (tx: string) => Call<unknown>['params']; read: (result: unknown) => NativeCall[] }

const methods: readonly Method[] = [
  { name: 'debug_traceTransaction', params: (tx) => [tx, { tracer: 'callTracer' }], read: callsOfFrames },
  {
    name: 'trace_transaction',
    params: (tx) => [tx],
    read: (result) => callsOfTraces(z.array(z.unknown()).parse(result)),
  },
]

/** A trace takes a node some milliseconds and up to a megabyte, so a failed request repeats few. */
const groupSize = 10

/**
 * Reads the calls of transactions that moved the native coin, by the first method that an endpoint serves. What one
 * endpoint does not have, or what contradicts the rows of the transaction, the others are asked. A transaction is left out
 * if none has it. Throws a `ChainFault` if no endpoint serves a method or answers.
 */
export async function readTraces(
  rpc: Rpc,
  transactions: readonly TracedTransaction[],
): Promise<Map<string, NativeCall[]>> {
  const read = new Map<string, NativeCall[]>()
  for (let at = 0; at < transactions.length; at += groupSize)
    for (const [tx, calls] of await readGroup(rpc, transactions.slice(at, at + groupSize))) read.set(tx, calls)
  return read
}

async function readGroup(rpc: Rpc, group: readonly TracedTransaction[]): Promise<Map<string, NativeCall[]>> {
  const read = new Map<string, NativeCall[]>()
  const except: string[] = []
  for (;;) {
    const open = group.filter(({ tx }) => !read.has(tx))
    if (open.length === 0) return read
    try {
      const answer = await rpc.at(
        async (node) => ({ name: node.name, traces: await tracesAt(node, rpc.chain.wrapped, open) }),
        { except },
      )
      except.push(answer.name)
      for (const [tx, calls] of answer.traces) read.set(tx, calls)
    } catch (error) {
      if (!(error instanceof ChainFault) || except.length === 0) throw error
      return read
    }
  }
}

/** The traces that one endpoint has. Throws a fault of the kind `method` if it serves no method. */
export async function tracesAt(
  node: RpcNode,
  wrapped: string | null,
  transactions: readonly TracedTransaction[],
): Promise<Map<string, NativeCall[]>> {
  for (const { name, params, read } of methods) {
    if (node.state.without.has(name)) continue
    const answers = await node.batchEach(
      transactions.map(({ tx }) => ({ method: name, params: params(tx), shape: z.unknown() })),
    )
    if (answers.some((answer) => answer instanceof RpcFault && answer.kind === 'method')) {
      node.state.without.add(name)
      continue
    }
    const traces = transactions.flatMap((transaction, n): [string, NativeCall[]][] => {
      const calls = callsOrNone(answers[n], read)
      return calls !== undefined && agree(calls, transaction, wrapped) ? [[transaction.tx, calls]] : []
    })
    return new Map(traces)
  }
  throw new RpcFault('method', `${node.name}: serves neither ${methods.map(({ name }) => name).join(' nor ')}`)
}

/** Whether an endpoint has the calls of a transaction, by any method. */
export async function hasTraceMethod(node: RpcNode, tx: string): Promise<boolean> {
  for (const { name, params, read } of methods) {
    const [answer] = await node.batchEach([{ method: name, params: params(tx), shape: z.unknown() }])
    if ((callsOrNone(answer, read)?.length ?? 0) > 0) return true
  }
  return false
}

/** The calls of an answer; undefined if the endpoint has no trace of the transaction, or one that is malformed. */
function callsOrNone(answer: unknown, read: Method['read']): NativeCall[] | undefined {
  if (answer === null || answer === undefined || answer instanceof RpcFault) return undefined
  try {
    return read(answer)
  } catch (error) {
    if (error instanceof RpcFault || error instanceof z.ZodError) return undefined
    throw error
  }
}

/**
 * Whether the calls are those of the transaction: the first one is the transaction itself, and what its contract of the
 * wrapped coin got and paid is what it logged.
 */
function agree(calls: readonly NativeCall[], transaction: TracedTransaction, wrapped: string | null): boolean {
  const [root] = calls
  const { sender, recipient, amount } = transaction
  if (root === undefined || root.sender !== sender || root.amount !== amount) return false
  if (recipient !== null && root.recipient !== recipient) return false
  const sum = (side: 'sender' | 'recipient'): bigint =>
    calls.reduce((all, call) => (call[side] === wrapped ? all + call.amount : all), 0n)
  return wrapped === null || (sum('recipient') === transaction.wrapped && sum('sender') === transaction.unwrapped)
}
