import { decodeOutputs, encodeCalls, type ContractCall, type Output } from './abi.ts'
import { RpcFault } from './fault.ts'
import type { Call, RpcNode } from './node.ts'
import type { Rpc } from './rpc.ts'
import { bytes } from './shapes.ts'

/** The block whose state is read: the newest one, or a number in hexadecimal. */
export type BlockTag = 'latest' | `0x${string}`

/** The calls of one request: few enough for the gas that nodes allow. A contract that wastes gas spoils those beside it. */
const mostCalls = 100

/**
 * Calls contracts as of the head, in the given order. Each hundred calls are a piece of work, which fails over by
 * itself. Throws a `ChainFault` if no endpoint answers.
 */
export async function callContracts(rpc: Rpc, calls: readonly ContractCall[]): Promise<Output[]> {
  const outputs: Output[] = []
  for (const part of partsOf(calls))
    for (const output of await rpc.at((node) => callAt(node, rpc.chain.multicall3, part))) outputs.push(output)
  return outputs
}

/**
 * Calls contracts at one node, in the given order; null where a contract refuses: through Multicall3 where the chain has
 * it, otherwise in batches. A contract that spoils a call of many is found by halves.
 */
export async function callAt(
  node: RpcNode,
  multicall3: string | null,
  calls: readonly ContractCall[],
  block: BlockTag = 'latest',
): Promise<Output[]> {
  const outputs: Output[] = []
  for (const part of partsOf(calls)) {
    const together = multicall3 === null ? undefined : await callTogether(node, multicall3, part, block)
    outputs.push(...(together ?? (await callEach(node, part, block))))
  }
  return outputs
}

function* partsOf(calls: readonly ContractCall[]): Generator<readonly ContractCall[]> {
  for (let at = 0; at < calls.length; at += mostCalls) yield calls.slice(at, at + mostCalls)
}

/** Undefined if there is no contract at the address: the registry may name one that the chain lacks at the block. */
async function callTogether(
  node: RpcNode,
  multicall3: string,
  calls: readonly ContractCall[],
  block: BlockTag,
): Promise<Output[] | undefined> {
  if (calls.length === 1) return callEach(node, calls, block)
  const [answer = null] = await callEach(node, [{ to: multicall3, data: encodeCalls(calls) }], block)
  if (answer === '0x') return undefined
  if (answer !== null) {
    const outputs = decodeOutputs(answer, calls.length)
    if (outputs !== undefined) return outputs
    throw new RpcFault(
      'check',
      `eth_call: not the results of ${calls.length} calls; expected the results of Multicall3`,
    )
  }
  return inHalves(calls, (half) => callTogether(node, multicall3, half, block))
}

/** Makes each call by itself, in batches of requests. */
async function callEach(node: RpcNode, calls: readonly ContractCall[], block: BlockTag): Promise<Output[]> {
  try {
    return (await node.batchEach(calls.map((call) => requestOf(call, block)))).map((result) => {
      if (!(result instanceof RpcFault)) return result
      if (isRefusal(result)) return null
      throw result
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (calls.length === 1) return [null]
    return (await inHalves(calls, (half) => callEach(node, half, block))) ?? []
  }
}

async function inHalves(
  calls: readonly ContractCall[],
  read: (half: readonly ContractCall[]) => Promise<Output[] | undefined>,
): Promise<Output[] | undefined> {
  const half = Math.ceil(calls.length / 2)
  const first = await read(calls.slice(0, half))
  const second = first && (await read(calls.slice(half)))
  return second && [...first, ...second]
}

const requestOf = ({ to, data }: ContractCall, block: BlockTag): Call<string> => ({
  method: 'eth_call',
  params: [{ to, data }, block],
  shape: bytes,
})

/** Whether the contract is at fault, not the node: it refused, wasted the time, or returned too much. */
const isRefusal = (error: unknown): boolean =>
  error instanceof RpcFault &&
  (error.kind === 'contract' ||
    error.kind === 'range' ||
    (error.kind === 'timeout' && error.message.includes('execution aborted')))
