import type { Micros } from '#time.ts'

/** One row of a ledger. A resolution has trader '' and concerns every trader in its market. */
export type LedgerEvent = {
  trader: string
  market_id: string
  ts: Micros
  tx: string
  seq: number
  kind:
    | 'buy'
    | 'sell'
    | 'split'
    | 'merge'
    | 'convert'
    | 'redeem'
    | 'resolution'
    | 'transfer_in'
    | 'transfer_out'
    | 'migrate'
  /** From 0 for a buy, a sale, a transfer, a migration and a redemption that names it, otherwise -1. */
  outcome: number
  /** Millionths of a share: of all but a resolution and a redemption without an outcome. */
  size: bigint
  /** Millionths of USD: of a buy or a sale, before the fee; of a redemption, the payout; of a transfer, the value. */
  cash: bigint
  /** Millionths of USD of a buy or a sale, else 0. */
  fee: bigint
  neg_risk_id: string | null
  /** Of a conversion: bit i is the question with `neg_risk_index` i; null when the source does not report. */
  index_set: bigint | null
  /** Of a migration: the market and the outcome of the shares that came. */
  target: { market_id: string; outcome: number } | null
  /** Of a resolution: millionths of USD per share, one for each outcome. */
  payouts: bigint[] | null
}

export type LedgerMarket = {
  market_id: string
  n_outcomes: number
  neg_risk_id: string | null
  neg_risk_index: number | null
}

export type LedgerContext = { markets: LedgerMarket[] }

/** The realization of one outcome by an event, in millionths of a share and of a US dollar. */
export type Realization = {
  trader: string
  market_id: string
  outcome: number
  ts: Micros
  kind: 'sale' | 'merge' | 'conversion' | 'redemption' | 'resolution' | 'transfer' | 'migration'
  tx: string
  seq: number
  size: bigint
  proceeds: bigint
  cost: bigint
  pnl: bigint
}

/** A trader's outcome at average cost: millionths of a share and of USD. */
export type Position = {
  trader: string
  market_id: string
  outcome: number
  size: bigint
  cost: bigint
  bought: bigint
  sold: bigint
  fees: bigint
  realized: bigint
  size_untracked: bigint
  untracked: bigint
  first_at: Micros
  last_at: Micros
  is_complete: boolean
}
