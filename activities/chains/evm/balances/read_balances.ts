import type { RpcNode } from '#activities/chains/evm/rpc/node.ts'
import type { Rpc } from '#activities/chains/evm/rpc/rpc.ts'
import { quantity } from '#activities/chains/evm/rpc/shapes.ts'

import { callEach, callTogether, type ContractCall, type Output } from './calls.ts'
import { balanceCall, coinCall, decimalsCall, decimalsOf, symbolCall, symbolOf, wordOf } from './token_calls.ts'

/** What a token says of itself. `symbol` is null where nobody vouches for the token, or where it has none. */
export type TokenFacts = { decimals: number; symbol: string | null }

/** The facts of tokens, which do not change, by chain and address. */
export type TokenMemory = {
  get: (key: string) => TokenFacts | undefined
  set: (key: string, facts: TokenFacts) => void
}

/** A balance that is not 0, in raw units. */
type Held = TokenFacts & { token: string; raw: bigint }

/** The word for the native coin among tokens. */
const native = 'native'

/**
 * Reads the balances of a wallet: those that are not 0, and the tokens whose contracts gave none. All are of the newest
 * block, at one node. Calls go through Multicall3 where the chain has it. Throws a `ChainFault` if no node answers.
 */
export async function readBalances(
  rpc: Rpc,
  { wallet, tokens }: { wallet: string; tokens: readonly string[] },
  memory: TokenMemory,
): Promise<{ held: Held[]; unread: string[] }> {
  const { chain } = rpc
  const owner = wallet as `0x${string}`
  const contracts = tokens.filter((token): token is `0x${string}` => token !== native)
  return rpc.at(
    async (node) => {
      const { call, coin, outputs } = await begin(node, chain.multicall3, owner, contracts)
      const raws = new Map<string, bigint | null>(contracts.map((token, i) => [token, wordOf(outputs[i] ?? null)]))
      const nonzero = contracts.filter((token) => (raws.get(token) ?? 0n) > 0n)
      const facts = await readFacts(nonzero, { call, memory, chain })
      const held = nonzero.flatMap((token) => {
        const own = facts.get(token)
        return own ? [{ token, raw: raws.get(token) ?? 0n, ...own }] : []
      })
      const ofCoin = { token: native, raw: coin, decimals: chain.native.decimals, symbol: chain.native.symbol }
      return {
        held: tokens.includes(native) && coin > 0n ? [ofCoin, ...held] : held,
        unread: contracts.filter((token) => raws.get(token) === null || (nonzero.includes(token) && !facts.has(token))),
      }
    },
    { method: 'eth_call' },
  )
}

type CallAll = (calls: readonly ContractCall[]) => Promise<Output[]>

/** The balances of the coin and the tokens, and the way in which the node is called. */
async function begin(
  node: RpcNode,
  multicall3: string | null,
  wallet: `0x${string}`,
  tokens: readonly `0x${string}`[],
): Promise<{ call: CallAll; coin: bigint; outputs: Output[] }> {
  const calls = tokens.map((token) => balanceCall(token, wallet))
  if (multicall3 !== null) {
    const at = multicall3 as `0x${string}`
    const [coin = null, ...outputs] = (await callTogether(node, at, [coinCall(at, wallet), ...calls])) ?? []
    const raw = wordOf(coin)
    // The registry may name a contract that the chain lacks.
    if (raw !== null) return { call: async (more) => (await callTogether(node, at, more)) ?? [], coin: raw, outputs }
  }
  const coin = await node.call({ method: 'eth_getBalance', params: [wallet, 'latest'], shape: quantity })
  const call: CallAll = (more) => callEach(node, more)
  return { call, coin, outputs: await call(calls) }
}

/** The facts of tokens, asked once a process. The symbol of a token counts only where the registry names the token. */
async function readFacts(
  tokens: readonly `0x${string}`[],
  { call, memory, chain }: { call: CallAll; memory: TokenMemory; chain: Rpc['chain'] },
): Promise<Map<string, TokenFacts>> {
  const keyOf = (token: string) => `${chain.slug} ${token}`
  const unknown = tokens.filter((token) => memory.get(keyOf(token)) === undefined)
  const vouched = unknown.filter((token) => token === chain.wrapped || chain.stables.includes(token))
  const outputs = unknown.length === 0 ? [] : await call([...unknown.map(decimalsCall), ...vouched.map(symbolCall)])
  for (const [i, token] of unknown.entries()) {
    const decimals = decimalsOf(outputs[i] ?? null)
    const nth = vouched.indexOf(token)
    const symbol = nth === -1 ? null : symbolOf(outputs[unknown.length + nth] ?? null)
    if (decimals !== null) memory.set(keyOf(token), { decimals, symbol })
  }
  return new Map(
    tokens.flatMap((token) => {
      const facts = memory.get(keyOf(token))
      return facts === undefined ? [] : [[token, facts] as const]
    }),
  )
}
