import { blocks, calls, pools, swaps, tokens, transactions, transfers, user_operations } from './chains.ts'
import { activity, conditions, fills, markets, quotes, resolutions, venue_contracts, wallet_owners } from './markets.ts'
import { feed, grades } from './own.ts'
import { assets, authors, dropped_posts, engagement, mentions, post_text, posts, tombstones } from './social.ts'
import { addresses, balances } from './wallets.ts'

export type { Dataset, Row } from './dataset.ts'
export type { Fill, Market, Quote, Resolution } from './markets.ts'
export { coverage, quarantine, type Coverage, type FeedRow, type Quarantined } from './own.ts'

/**
 * The datasets that sources and the publication of signals fill, by name. Storing a unit also writes coverage and
 * quarantine.
 */
export const datasets = {
  markets,
  fills,
  activity,
  resolutions,
  quotes,
  conditions,
  wallet_owners,
  venue_contracts,
  blocks,
  transactions,
  swaps,
  transfers,
  calls,
  user_operations,
  pools,
  tokens,
  addresses,
  balances,
  posts,
  post_text,
  dropped_posts,
  engagement,
  authors,
  tombstones,
  assets,
  mentions,
  feed,
  grades,
} as const
export type DatasetName = keyof typeof datasets
