import type { Hex } from 'viem'
import { decodeFunctionData, encodeAbiParameters, encodeFunctionResult, parseAbi } from 'viem/utils'
import { z } from 'zod'

import type { Chain } from '#registry/chains/chain.ts'
import { createBalanceReader, type BalanceReader } from '#sources/evm/balances/balance_reader.ts'

/** A contract: a token, or one that fails. A burner wastes the gas of the whole call, a bomb returns megabytes. */
export type Contract =
  | { is: 'token'; balance: bigint; decimals: number; symbol: string }
  | { is: 'reverting' }
  | { is: 'burner' }
  | { is: 'bomb' }
  | { is: 'account' }
  | { is: 'mute' }

/** The ways in which a node misbehaves. */
export type Behaviour = {
  hasMulticall?: boolean
  chainId?: number
  isDown?: boolean
  /** It serves no arrays. */
  isSingle?: boolean
  /** Its results of Multicall3 are other bytes. */
  isGarbling?: boolean
}

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])
const callShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
const inputShape = z.object({ to: z.string(), data: z.string() })
type Answer = { result: Hex } | { error: { code: number; message: string } }

const word = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value])
const failed = (message: string): Answer => ({ error: { code: -32_000, message } })

/** A JSON-RPC node with contracts, as the answer to a request's body. */
export function tokenNode(
  chain: Chain,
  coin: bigint,
  contracts: ReadonlyMap<string, Contract>,
  behaviour: Behaviour = {},
) {
  const seen: string[][] = []
  const { hasMulticall = true, chainId = chain.id ?? 0 } = behaviour

  const output = (to: string, data: string): Answer => {
    const contract = contracts.get(to)
    if (to === chain.multicall3 && data.startsWith('0x4d2301cc')) return { result: word(coin) }
    if (contract === undefined || contract.is === 'account') return { result: '0x' }
    const isBalance = data.startsWith('0x70a08231')
    if (contract.is === 'reverting') return failed('execution reverted: rate limit exceeded')
    if (contract.is === 'burner') return failed('out of gas')
    if (contract.is === 'bomb') return { result: `0x${'00'.repeat(3_000_000)}` }
    if (contract.is === 'mute') return isBalance ? { result: word(7n) } : failed('execution reverted')
    const { balance, decimals, symbol } = contract
    if (isBalance) return { result: word(balance) }
    if (data === '0x313ce567') return { result: word(BigInt(decimals)) }
    return { result: encodeAbiParameters([{ type: 'string' }], [symbol]) }
  }

  const together = (data: string): Answer => {
    const [calls] = decodeFunctionData({ abi, data: data as Hex }).args
    const outputs = calls.map(({ target, callData }) => output(target.toLowerCase(), callData))
    if (outputs.some((one) => 'error' in one && one.error.message === 'out of gas')) return failed('out of gas')
    const results = outputs.map((one) =>
      'error' in one ? { success: false, returnData: '0x' as const } : { success: true, returnData: one.result },
    )
    if (behaviour.isGarbling === true) return { result: `0x${'ff'.repeat(64)}` }
    return { result: encodeFunctionResult({ abi, functionName: 'aggregate3', result: results }) }
  }

  const answer = ({ method, params }: z.output<typeof callShape>): Answer => {
    if (method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` }
    if (method === 'eth_getBalance') return { result: `0x${coin.toString(16)}` }
    if (method !== 'eth_call') return { error: { code: -32_601, message: `the method ${method} does not exist` } }
    const { to, data } = inputShape.parse(params[0])
    const isTogether = to === chain.multicall3 && !data.startsWith('0x4d2301cc')
    return isTogether ? (hasMulticall ? together(data) : { result: '0x' }) : output(to, data)
  }

  const respond = (body: string): Response => {
    if (behaviour.isDown === true) throw new TypeError('fetch failed')
    const asked: unknown = JSON.parse(body)
    if (Array.isArray(asked) && behaviour.isSingle === true) return new Response('no batches', { status: 400 })
    const calls = z.array(callShape).parse(Array.isArray(asked) ? asked : [asked])
    seen.push(calls.map(({ method }) => method))
    const replies = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...answer(call) }))
    return new Response(JSON.stringify(Array.isArray(asked) ? replies : replies[0]))
  }
  return { respond, seen }
}

/** The reader over nodes of a chain, with a clock that only sleeping advances. */
export function readerOf(chain: Chain, nodes: readonly { respond: (body: string) => Response }[]): BalanceReader {
  let now_ms = 1_790_000_000_000
  const urls = nodes.map((_, n) => `http://127.0.0.1:${n + 1}`)
  return createBalanceReader(
    { rpcUrls: { [chain.slug]: urls }, rpcWorld: 'real' },
    {
      random: () => 0.5,
      now_ms: () => now_ms,
      sleep: async (ms) => void (now_ms += ms),
      fetch: async (url, init) => {
        const node = nodes[urls.indexOf(z.string().parse(url))]
        if (node === undefined) throw new Error('fetch: no such node')
        now_ms += 10
        return node.respond(z.string().parse(init?.body))
      },
    },
  )
}
