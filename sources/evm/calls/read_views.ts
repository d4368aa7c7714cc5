import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Call, RpcNode } from '#sources/evm/rpc/node.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { bytes } from '#sources/evm/rpc/shapes.ts'

import { decodeResults, encodeCalls } from './multicall.ts'

/** A view of a contract: the address and the call data, in lower-case hexadecimal. */
export type View = { to: string; data: string }

/** The calls of one request: few enough for the gas that nodes allow. */
const mostCalls = 100

/**
 * Reads views of contracts as of the head, in the given order; null where a contract refuses or does not exist. Most
 * chains have a contract that answers many at once; elsewhere each view is a call of a batch.
 */
export async function readViews(rpc: Rpc, views: readonly View[]): Promise<(string | null)[]> {
  const results: (string | null)[] = []
  for (let at = 0; at < views.length; at += mostCalls) {
    const part = views.slice(at, at + mostCalls)
    const found = await rpc.at((node) => readPart(node, part, rpc.chain.multicall3))
    for (const result of found) results.push(result)
  }
  return results
}

async function readPart(node: RpcNode, views: readonly View[], multicall3: string | null): Promise<(string | null)[]> {
  const [only] = views
  if (only === undefined) return []
  if (multicall3 === null) return (await node.batchEach(views.map(callOf))).map(resultOf)
  if (views.length === 1) return [await readOne(node, only)]
  const answer = await readOne(node, { to: multicall3, data: encodeCalls(views) })
  const results = answer === null ? undefined : decodeResults(answer, views.length)
  if (results !== undefined) return results
  // A contract may use up the gas of all, and the chain may lack the contract of many.
  if (answer === '0x') return readPart(node, views, null)
  const half = Math.ceil(views.length / 2)
  return [
    ...(await readPart(node, views.slice(0, half), multicall3)),
    ...(await readPart(node, views.slice(half), multicall3)),
  ]
}

/** The kinds of faults that are answers of the contract, not of the node. */
const ofContract: ReadonlySet<string> = new Set(['other', 'down', 'range', 'timeout'])

async function readOne(node: RpcNode, view: View): Promise<string | null> {
  const [result] = await node.batchEach([callOf(view)])
  return result === undefined ? null : resultOf(result)
}

const callOf = ({ to, data }: View): Call<string> => ({
  method: 'eth_call',
  params: [{ to, data }, 'latest'],
  shape: bytes,
})

/** Null if the contract refused. A fault of the node is thrown. */
function resultOf(result: string | RpcFault): string | null {
  if (!(result instanceof RpcFault)) return result
  if (ofContract.has(result.kind) && /revert|gas|invalid opcode|execution/i.test(result.message)) return null
  throw result
}
