import * as z from 'zod/mini'

import { list } from './figures.ts'

const nullableNumber = z.nullable(z.number())

const traderProfile = z.object({
  wallet: z.string(),
  archetype: z.string(),
  role: z.string(),
  is_complete: z.boolean(),
  unlisted_reason: z.nullable(z.string()),
  pnl: z.number(),
  unrealized: z.number(),
  roi: nullableNumber,
  volume: z.number(),
  drawdown: z.number(),
  n_fills: z.number(),
  n_markets: z.number(),
  n_closed: z.number(),
  n_won: z.number(),
  win_rate: z.number(),
  win_rate_lower: z.number(),
  expected_win_rate: nullableNumber,
  clv_score: nullableNumber,
  clv_se: nullableNumber,
  clv_n_eff: nullableNumber,
  clv_observed: nullableNumber,
  clv_observed_lower: nullableNumber,
  clv_observed_upper: nullableNumber,
  clv_reason: z.nullable(z.string()),
  entry_price: nullableNumber,
  holding_s: nullableNumber,
})

export type TraderProfile = z.output<typeof traderProfile>

const pnlDay = z.object({ day: z.string(), pnl: z.number(), equity: z.number(), drawdown: z.number() })

/** A day of the time line of a trader or a wallet. */
export type PnlDay = z.output<typeof pnlDay>

const trait = z.object({ name: z.string(), value: z.number() })

export type Trait = z.output<typeof trait>

const category = z.object({ category: z.string(), n_markets: z.number(), pnl: z.number(), cost_share: z.number() })

export type Category = z.output<typeof category>

const position = z.object({
  market_id: z.string(),
  question: z.string(),
  outcome: z.string(),
  size: z.number(),
  price: nullableNumber,
  cost: z.number(),
  value: nullableNumber,
})

export type Position = z.output<typeof position>

const traderMarket = z.object({
  market_id: z.string(),
  question: z.string(),
  cost: z.number(),
  pnl: z.number(),
  last_at: z.string(),
  closed_at: z.nullable(z.string()),
})

export type TraderMarket = z.output<typeof traderMarket>

const traderFill = z.object({
  rank: z.number(),
  timestamp: z.string(),
  market_id: z.string(),
  question: z.string(),
  outcome: z.string(),
  side: z.string(),
  price: z.number(),
  size: z.number(),
  cash: z.number(),
  tx_url: z.nullable(z.string()),
})

export type TraderFill = z.output<typeof traderFill>

const walletProfile = z.object({
  address: z.string(),
  chain: z.string(),
  tags: z.array(z.string()),
  behavior_archetype: z.string(),
  is_complete: z.boolean(),
  unlisted_reason: z.nullable(z.string()),
  realized_30d: z.number(),
  realized_all_time: z.number(),
  unranked_all_time: z.number(),
  unmatched: z.number(),
  volume_30d: z.number(),
  n_closed: z.number(),
  n_won: z.number(),
  win_rate: z.number(),
  win_rate_lower: z.number(),
})

export type WalletProfile = z.output<typeof walletProfile>

const walletToken = z.object({
  token: z.string(),
  symbol: z.nullable(z.string()),
  bought: z.number(),
  sold: z.number(),
  realized_all_time: z.number(),
  unranked_all_time: z.number(),
  last_at: z.string(),
})

export type WalletToken = z.output<typeof walletToken>

const walletHolding = z.object({
  token: z.string(),
  contract: z.string(),
  amount: z.number(),
  usd_value: z.number(),
  seen_at: z.string(),
})

export type WalletHolding = z.output<typeof walletHolding>

const walletTrade = z.object({
  rank: z.number(),
  timestamp: z.string(),
  sold_token: z.string(),
  sold_symbol: z.nullable(z.string()),
  sold_amount: nullableNumber,
  bought_token: z.string(),
  bought_symbol: z.nullable(z.string()),
  bought_amount: nullableNumber,
  value: nullableNumber,
  pnl: nullableNumber,
  protocol: z.string(),
  tx_url: z.nullable(z.string()),
})

export type WalletTrade = z.output<typeof walletTrade>

export const readTraderProfile = list('/trader-profile', traderProfile)
export const readTraderDays = list('/trader-days', pnlDay)
export const readTraderTraits = list('/trader-traits', trait)
export const readTraderCategories = list('/trader-categories', category)
export const readTraderPositions = list('/trader-positions', position)
export const readTraderMarkets = list('/trader-markets', traderMarket)
export const readTraderFills = list('/trader-fills', traderFill)
export const readWalletProfiles = list('/wallet-profiles', walletProfile)
export const readWalletDays = list('/wallet-days', pnlDay)
export const readWalletTraits = list('/wallet-traits', trait)
export const readWalletTokens = list('/wallet-tokens', walletToken)
export const readWalletHoldings = list('/wallet-holdings', walletHolding)
export const readWalletTrades = list('/wallet-trades', walletTrade)

const assetDay = z.object({
  day: z.string(),
  platform: z.string(),
  day_pct: z.number(),
  n_posts: z.number(),
  n_clusters: z.number(),
})

export type AssetDay = z.output<typeof assetDay>

export const readAssetDays = list('/asset-days', assetDay)
