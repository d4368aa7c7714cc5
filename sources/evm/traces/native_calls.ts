import { z } from 'zod'

import { RpcFault } from '#sources/evm/rpc/fault.ts'
import { quantity } from '#sources/evm/rpc/shapes.ts'

/** A call that moved the native coin, in raw units. Contract creations and self-destructions move it too. */
export type NativeCall = { sender: string; recipient: string; amount: bigint }

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i, 'expected an address')
  .toLowerCase()
const failed = z.string().nullish()

const frameShape = z.looseObject({
  type: z.string(),
  from: address,
  to: address.nullish(),
  value: quantity.nullish(),
  error: failed,
  calls: z.array(z.unknown()).nullish(),
})

/** The frames that move the native coin. The others run with the value of their caller, or with none. */
const moving = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/**
 * The calls of `debug_traceTransaction` with the tracer `callTracer` that moved the native coin, in their order. The
 * transaction itself comes first, also without an amount. What is below a failed frame was undone. A trace may be 1,024
 * frames deep, so the frames are read one by one.
 */
export function callsOfFrames(root: unknown): NativeCall[] {
  const calls: NativeCall[] = []
  const rest: unknown[] = [root]
  while (rest.length > 0) {
    const { type, from, to, value, error, calls: below } = parsed(frameShape, rest.pop())
    if (typeof error === 'string') continue
    if (moving.has(type)) take(calls, { sender: from, recipient: to ?? '', amount: value ?? 0n })
    for (const frame of (below ?? []).toReversed()) rest.push(frame)
  }
  return calls
}

const actionShape = z.looseObject({
  callType: z.string().nullish(),
  from: address.nullish(),
  to: address.nullish(),
  value: quantity.nullish(),
  address: address.nullish(),
  refundAddress: address.nullish(),
  balance: quantity.nullish(),
})
const traceShape = z.looseObject({
  type: z.string(),
  action: actionShape,
  result: z.looseObject({ address: address.nullish() }).nullish(),
  traceAddress: z.array(z.number()),
  error: failed,
})
type Trace = z.output<typeof traceShape>

/** The same of `trace_transaction`, which lists the calls of a transaction with their places in its tree. */
export function callsOfTraces(traces: readonly unknown[]): NativeCall[] {
  const calls: NativeCall[] = []
  let undone: readonly number[] | undefined
  for (const trace of traces.map((item) => parsed(traceShape, item))) {
    const { traceAddress: place, error } = trace
    if (undone !== undefined && undone.every((n, depth) => place[depth] === n)) continue
    undone = typeof error === 'string' ? place : undefined
    const call = undone === undefined ? callOf(trace) : undefined
    if (call !== undefined) take(calls, call)
  }
  return calls
}

function callOf({ type, action, result }: Trace): NativeCall | undefined {
  const { callType, from, to, value, address: closed, refundAddress, balance } = action
  if (type === 'create') return { sender: from ?? '', recipient: result?.address ?? '', amount: value ?? 0n }
  if (type === 'suicide' || type === 'selfdestruct')
    return { sender: closed ?? '', recipient: refundAddress ?? '', amount: balance ?? 0n }
  if (type === 'call' && callType === 'call') return { sender: from ?? '', recipient: to ?? '', amount: value ?? 0n }
  return undefined
}

/** Adds a call if it moved something, or if it is the transaction itself. */
function take(calls: NativeCall[], call: NativeCall): void {
  if (calls.length === 0 || (call.amount > 0n && call.sender !== call.recipient)) calls.push(call)
}

function parsed<T>(shape: z.ZodType<T>, body: unknown): T {
  const { data, error } = shape.safeParse(body)
  if (error === undefined) return data
  throw new RpcFault('check', `trace: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`)
}
