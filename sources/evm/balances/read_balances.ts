import { native } from '#registry/chains/tokens_to_read.ts'
import type { ContractCall, Output } from '#sources/evm/rpc/abi.ts'
import { decimalsIn, decimalsView, symbolView, textIn } from '#sources/evm/rpc/erc20.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'

import { readAmounts } from './read_amounts.ts'

/** What a token says of itself. `symbol` is null where nobody vouches for the token, or where it has none. */
export type TokenFacts = { decimals: number; symbol: string | null }

/** The facts of tokens, which do not change, by chain and address. */
export type TokenMemory = {
  get: (key: string) => TokenFacts | undefined
  set: (key: string, facts: TokenFacts) => void
}

/** A balance that is not 0, in raw units. */
type Held = TokenFacts & { token: string; raw: bigint }

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
  const contracts = tokens.filter((token) => token !== native)
  return rpc.at(
    async (node) => {
      const asked = [native, ...contracts].map((token) => ({ wallet, token }))
      const { call, amounts } = await readAmounts(node, chain.multicall3, asked, 'latest')
      const coin = amounts[0] ?? 0n
      const raws = new Map<string, bigint | null>(contracts.map((token, i) => [token, amounts[i + 1] ?? null]))
      const nonzero = contracts.filter((token) => (raws.get(token) ?? 0n) > 0n)
      const facts = await readFacts(nonzero, { call, memory, chain })
      const held = nonzero.flatMap((token) => {
        const tokenFacts = facts.get(token)
        return tokenFacts ? [{ token, raw: raws.get(token) ?? 0n, ...tokenFacts }] : []
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

/** The facts of tokens, asked once a process. The symbol of a token counts only where the registry names the token. */
async function readFacts(
  tokens: readonly string[],
  {
    call,
    memory,
    chain,
  }: { call: (calls: readonly ContractCall[]) => Promise<Output[]>; memory: TokenMemory; chain: Rpc['chain'] },
): Promise<Map<string, TokenFacts>> {
  const keyOf = (token: string) => `${chain.slug} ${token}`
  const unknown = tokens.filter((token) => memory.get(keyOf(token)) === undefined)
  const vouched = unknown.filter((token) => token === chain.wrapped || chain.stables.includes(token))
  const outputs = await call([
    ...unknown.map((to) => ({ to, data: decimalsView })),
    ...vouched.map((to) => ({ to, data: symbolView })),
  ])
  for (const [i, token] of unknown.entries()) {
    const decimals = decimalsIn(outputs[i])
    const nth = vouched.indexOf(token)
    const symbol = nth === -1 ? null : textIn(outputs[unknown.length + nth])
    if (decimals !== null) memory.set(keyOf(token), { decimals, symbol })
  }
  return new Map(
    tokens.flatMap((token) => {
      const facts = memory.get(keyOf(token))
      return facts === undefined ? [] : [[token, facts] as const]
    }),
  )
}
