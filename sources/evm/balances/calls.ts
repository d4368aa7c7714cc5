import { z } from 'zod'

import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { RpcNode } from '#sources/evm/rpc/node.ts'

import type { ContractCall, Output } from './token_calls.ts'

/** The block whose state is read: the newest one, or a number in hexadecimal. */
export type BlockTag = 'latest' | `0x${string}`

/** Calls of one `eth_call`. A contract that wastes the gas of a call spoils those beside it. */
const mostCalls = 100

const bytes = z.custom<`0x${string}`>((text) => typeof text === 'string' && /^0x([0-9a-f]{2})*$/i.test(text))

/** Makes calls through Multicall3, in few requests. `undefined`: the chain has no such contract at the address. */
export async function callTogether(
  node: RpcNode,
  multicall3: `0x${string}`,
  calls: readonly ContractCall[],
  block: BlockTag,
): Promise<Output[] | undefined> {
  // Most commands make no such call, and viem's utilities are a sixth of the modules that they would load.
  const { aggregateInput, aggregateOutputs } = await import('./aggregate.ts')
  const read = async (part: readonly ContractCall[]): Promise<Output[] | undefined> => {
    const output = await outputOf(node, { to: multicall3, data: aggregateInput(part) }, block)
    if (output === '0x') return undefined
    if (output !== null) return assertOutputs(() => aggregateOutputs(output), part.length)
    if (part.length === 1) return [null]
    const half = Math.ceil(part.length / 2)
    const [first, second] = [await read(part.slice(0, half)), await read(part.slice(half))]
    return first && second && [...first, ...second]
  }
  const outputs: Output[] = []
  for (let at = 0; at < calls.length; at += mostCalls) {
    const part = await read(calls.slice(at, at + mostCalls))
    if (part === undefined) return undefined
    outputs.push(...part)
  }
  return outputs
}

/** Makes each call by itself, in batches of requests. */
export async function callEach(node: RpcNode, calls: readonly ContractCall[], block: BlockTag): Promise<Output[]> {
  try {
    return (await node.batchEach(calls.map((call) => requestOf(call, block)))).map(outputOrNull)
  } catch (error) {
    if (!isOfContract(error)) throw error
    if (calls.length === 1) return [null]
    const half = Math.ceil(calls.length / 2)
    return [...(await callEach(node, calls.slice(0, half), block)), ...(await callEach(node, calls.slice(half), block))]
  }
}

const requestOf = ({ to, data }: ContractCall, block: BlockTag) => ({
  method: 'eth_call',
  params: [{ to, data }, block],
  shape: bytes,
})

const outputOf = (node: RpcNode, call: ContractCall, block: BlockTag): Promise<Output> =>
  node.call(requestOf(call, block)).catch((error: unknown) => {
    if (isOfContract(error)) return null
    throw error
  })

function outputOrNull(result: `0x${string}` | RpcFault): Output {
  if (!(result instanceof RpcFault)) return result
  if (isOfContract(result)) return null
  throw result
}

/** Whether the contract is at fault: it reverted, wasted the gas or the time, or returned too much. */
const isOfContract = (error: unknown): boolean =>
  error instanceof RpcFault &&
  (error.kind === 'range' || /revert|out of gas|gas limit|invalid opcode|stack/i.test(error.message))

function assertOutputs(decode: () => Output[], n: number): Output[] {
  try {
    const outputs = decode()
    if (outputs.length === n) return outputs
  } catch {
    // Other bytes than those of the function.
  }
  throw new RpcFault('check', `eth_call: not the results of ${n} calls; expected those of Multicall3`)
}
