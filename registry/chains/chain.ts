/** A chain of the registry. */
export type Chain = {
  /** The name in settings, answers and the lake, such as `ethereum`. Unique. */
  slug: string
  kind: 'evm' | 'solana'
  /** The EIP-155 id; null on a chain without one. */
  id: number | null
  name: string
  /** Further names that find it: the exports of viem. */
  aliases: readonly string[]
  native: { symbol: string; decimals: number }
  /** Keyless endpoints, in the order of preference. */
  urls: readonly string[]
  /** Milliseconds between blocks; null if unknown. */
  block_ms: number | null
  /** Blocks below the head that count as final if the node names no final block. */
  finality: number
  /** The token of the native coin, in lower case on EVM chains. */
  wrapped: string | null
  /** Contracts that show the native coin itself as a token, so that their balances are its balances. */
  mirrors: readonly string[]
  /** Tokens that are worth a US dollar, the most traded first, or those that most lists name. */
  stables: readonly string[]
  /** The symbols of these tokens, by address, as public lists name them. */
  stableSymbols: Readonly<Record<string, string>>
  /** The website that shows its blocks; null if unknown. */
  explorer: string | null
  /** The contract that answers many calls at once. */
  multicall3: string | null
  /** The blocks of one unit of the lake. A change would leave stored units that overlap the new ones. */
  unit_blocks: number
}

/** The wrapped coin and the dollars of Solana are its mints. Slots are 400 ms. */
export const solana: Chain = {
  slug: 'solana',
  kind: 'solana',
  id: null,
  name: 'Solana',
  aliases: [],
  native: { symbol: 'SOL', decimals: 9 },
  urls: ['https://api.mainnet-beta.solana.com'],
  block_ms: 400,
  // The confirmations after which a vote is rooted.
  finality: 32,
  mirrors: [],
  wrapped: 'So11111111111111111111111111111111111111112',
  stables: ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  stableSymbols: {
    EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 'USDC',
    Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: 'USDT',
  },
  explorer: 'https://explorer.solana.com',
  multicall3: null,
  // A block has thousands of transactions.
  unit_blocks: 100,
}

/** The hash of the first block of Solana's main network, which identifies it among its networks. */
export const solanaGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
