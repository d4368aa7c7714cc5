/** The archetypes that are planted; each wallet of one follows its rule by construction. */
export const evmArchetypes = [
  'arbitrageur',
  'sniper',
  'fade_target',
  'scalper',
  'swing_trader',
  'diamond_hands',
  'accumulator',
  'whale',
  'dormant',
  'generalist',
] as const
export type EvmArchetype = (typeof evmArchetypes)[number]

/** The purpose of a wallet of the world. */
export type Role = EvmArchetype | 'team' | 'crowd' | 'bundler' | 'vault' | 'wash' | 'sandwich' | 'bot' | 'newcomer'

/** A wallet of the plan, by its number. Its address follows from the seed of the node. */
export type Actor = {
  index: number
  role: Role
  /** The archetype that its trades are made for; null where they are made for none. */
  archetype: EvmArchetype | null
  /** Tags that its trades are made for. */
  tags: readonly string[]
  /** A smart account, whose operations a bundler sends. */
  isAccount: boolean
}

/** A token that is traded. Prices are in US dollars. */
export type PlannedToken = {
  index: number
  /** The depth of its pools; a `launched` token has no pool at the start. */
  kind: 'deep' | 'thin' | 'launched'
  symbol: string
  price_usd: number
  /** Dollars on each side of each of its pools. */
  depth_usd: number
  /** Whether the token also has a pool of Uniswap V4 with the native coin. */
  hasV4: boolean
  /** The instant of its first pool, which holds the wrapped coin; null if its pools are there from the start. */
  launched_s: number | null
}

/** The dollar, the native coin, or a token by its number. */
export type Asset = 'dollar' | 'native' | number
export type Venue = 'v2' | 'v3' | 'v4'
/** `split`: half of it through V2 and half through V3, by the aggregator. */
export type Route = Venue | 'split'

/** A planned action of a wallet. Its amounts follow from the balances of the wallet when the block is made. */
export type Step =
  | { kind: 'fund'; actor: number; usd: number }
  | { kind: 'swap'; actor: number; from: Asset; to: Asset; route: Route; usd?: number; share?: number }
  /** A wallet of the crowd trades until a pool has the price. */
  | { kind: 'toward'; token: number; venue: Venue; price_usd: number }
  /** A wallet of the crowd sells, so that other wallets pay for the token too. */
  | { kind: 'supply'; token: number; usd: number }
  | { kind: 'launch'; token: number }
  | { kind: 'arbitrage'; actor: number; token: number }
  | { kind: 'send'; actor: number; to: number; token: number; share: number }
  | { kind: 'airdrop'; token: number; to: readonly number[]; amount: number }
  | { kind: 'sandwich'; actor: number; victim: number; token: number; usd: number }
  | { kind: 'fail'; actor: number; token: number }

/** The steps of one block, in order. */
export type PlannedBlock = { at_s: number; steps: readonly Step[] }

export type EvmPlan = {
  seed: number
  start_s: number
  now_s: number
  ends_s: number
  /** Whether balances are lifelike: wallets differ in wealth, and the team keeps little beside its pools. */
  isLifelike: boolean
  actors: readonly Actor[]
  tokens: readonly PlannedToken[]
  /** In the order of time. */
  blocks: readonly PlannedBlock[]
}

/** A trade as it truly was, in raw units. The wrapped coin is `native`. */
export type TrueTrade = {
  wallet: string
  block: number
  tx_index: number
  tx: string
  ts_s: number
  kind: 'swap' | 'arbitrage'
  token_sold: string
  amount_sold: bigint
  token_bought: string
  amount_bought: bigint
  /** Raw units of the native coin that the wallet paid as gas. */
  gas_fee: bigint
}

/** A movement of a token that is no trade, for each of its two wallets that is known. */
export type TrueTransfer = {
  wallet: string
  block: number
  tx_index: number
  tx: string
  ts_s: number
  log_index: number
  token: string
  direction: 'in' | 'out'
  amount: bigint
  counterparty: string
}

/** A swap of a pool: the amounts that went in and out, by token. The wrapped coin is `native`. */
export type PoolSwap = {
  block: number
  tx: string
  ts_s: number
  sender: string
  pool: string
  token_in: string
  amount_in: bigint
  token_out: string
  amount_out: bigint
}
