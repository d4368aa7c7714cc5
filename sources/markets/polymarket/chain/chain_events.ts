/** A log with its place in its block. */
export type ChainLog = { address: string; topics: readonly string[]; data: string; log_index: number }

/** One order of a match. Amounts are what it gave (`making`) and got (`taking`). V1 charges a purchase in shares. */
export type Filled = {
  kind: 'filled'
  exchange: string
  order: string
  maker: string
  taker: string
  isBuy: boolean
  token: string
  making: bigint
  taking: bigint
  fee: bigint
  isFeeInShares: boolean
}
/** The end of a match. */
export type Matched = { kind: 'matched'; exchange: string; order: string; maker: string }
/** What a fee module gave back to the order of a fill. */
export type Refunded = { kind: 'refunded'; order: string; amount: bigint }
/** A split or merge, as the conditional tokens or the neg-risk adapter (`isAdapter`) tell it. */
export type Paired = {
  kind: 'split' | 'merge'
  isAdapter: boolean
  stakeholder: string
  condition: string
  amount: bigint
}
export type Redeemed = { kind: 'redeemed'; isAdapter: boolean; redeemer: string; condition: string; payout: bigint }
export type Converted = { kind: 'converted'; stakeholder: string; market: string; indexSet: bigint; amount: bigint }
/** Shares that moved, by token. `contract` holds the tokens. */
export type Moved = {
  kind: 'moved'
  contract: string
  operator: string
  from: string
  to: string
  amounts: ReadonlyMap<string, bigint>
}
export type Prepared = { kind: 'prepared'; condition: string; oracle: string; question: string; n_outcomes: number }
export type Resolved = { kind: 'resolved'; condition: string; numerators: readonly bigint[] }
/** A trade with a pool, the log's emitter. `cash` is what the trader paid or got, fee included. */
export type PoolTrade = {
  kind: 'pool trade'
  pool: string
  trader: string
  isBuy: boolean
  cash: bigint
  fee: bigint
  shares: bigint
}
/** Shares that a provider added to a pool or took from it. `feeShare` is the provider's part of collected fees. */
export type Funded = {
  kind: 'funded'
  pool: string
  funder: string
  isAdded: boolean
  amounts: readonly bigint[]
  feeShare: bigint
}
export type PoolCreated = { kind: 'pool created'; creator: string; pool: string }
export type WalletMade = { kind: 'wallet'; owner: string; wallet: string | null }
export type Paid = { kind: 'paid'; to: string; amount: bigint }

export type ChainEvent =
  | Filled
  | Matched
  | Refunded
  | Paired
  | Redeemed
  | Converted
  | Moved
  | Prepared
  | Resolved
  | PoolTrade
  | Funded
  | PoolCreated
  | WalletMade
  | Paid

/** An event with its position in its block. */
export type Placed<E extends ChainEvent = ChainEvent> = E & { log_index: number }
