import type { Chain } from '#registry/chains/chain.ts'

/**
 * What a wallet holds of a token now: raw units, and the decimals that make a whole unit. `symbol` is the token's own
 * word; it is null where the token is none of the registry, since any contract may call itself a dollar.
 */
export type Balance = { token: string; raw: bigint; decimals: number; symbol: string | null }

/**
 * The balances that are not 0, and the tokens whose contracts gave no balance. `problem` is the reason why the address
 * can hold nothing, such as that it is a mint.
 */
export type Balances = { held: readonly Balance[]; unread: readonly string[]; problem?: string }

/**
 * Reads balances from a node of the chain. Tokens are contracts in lower case, or `native`; a node of Solana lists
 * those of a wallet itself. It gives up after `within_ms` and rejects, as it does if no node answers.
 */
export type ReadBalances = (request: {
  chain: Chain
  wallet: string
  tokens: readonly string[]
  within_ms: number
}) => Promise<Balances>
