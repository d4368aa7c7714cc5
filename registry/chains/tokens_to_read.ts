import type { Chain } from './chain.ts'

/**
 * The name of a chain's native coin among tokens, as in the lake and the marts. Other tokens are named by their
 * contracts, in lower case on EVM chains.
 */
export const native = 'native'

/**
 * The most tokens of a wallet whose balances are read: anybody may send a wallet thousands. Live answers and daily
 * readings have the same limit.
 */
export const mostTokens = 200

/**
 * The tokens that a wallet may hold, each once: the coin of the chain, its contract and the dollars come first, then
 * `more` in its order. A mirror of the coin would count it twice.
 */
export function tokensToRead({ wrapped, stables, mirrors }: Chain, more: readonly string[]): string[] {
  const all = new Set([native, ...(wrapped === null ? [] : [wrapped]), ...stables, ...more])
  return [...all].filter((token) => !mirrors.includes(token)).slice(0, mostTokens)
}
