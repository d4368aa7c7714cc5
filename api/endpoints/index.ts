import type { Endpoint } from '#api/contract/endpoint.ts'

import { accountEndpoint } from './account.ts'
import { postAlert, readAlerts, removeAlert } from './alerts.ts'
import { assetDays } from './asset_days.ts'
import { chat } from './chat.ts'
import { discover } from './discover.ts'
import { feed } from './feed.ts'
import { marketFills } from './market_fills.ts'
import { marketHolders } from './market_holders.ts'
import { marketHours } from './market_hours.ts'
import { marketOutcomes } from './market_outcomes.ts'
import { markets } from './markets.ts'
import { pmMarkets } from './pm_markets.ts'
import { pmTraders } from './pm_traders.ts'
import { pmWallet } from './pm_wallet.ts'
import { signalEvidence } from './signal_evidence.ts'
import { signals } from './signals.ts'
import { coverage } from './stored_coverage.ts'
import { traderCategories } from './trader_categories.ts'
import { traderDays } from './trader_days.ts'
import { traderFills } from './trader_fills.ts'
import { traderMarkets } from './trader_markets.ts'
import { traderPositions } from './trader_positions.ts'
import { traderProfile } from './trader_profile.ts'
import { traderRanks } from './trader_ranks.ts'
import { traderTraits } from './trader_traits.ts'
import { wallet } from './wallet.ts'
import { walletDays } from './wallet_days.ts'
import { walletHoldings } from './wallet_holdings.ts'
import { walletProfiles } from './wallet_profiles.ts'
import { walletRanks } from './wallet_ranks.ts'
import { walletTokens } from './wallet_tokens.ts'
import { walletTrades } from './wallet_trades.ts'
import { walletTraits } from './wallet_traits.ts'
import { postWatchlist, readWatchlists, removeWatchlist } from './watchlists.ts'

/** The endpoints below `/v1`. A new endpoint is a file and a line here. */
export const endpoints: readonly Endpoint[] = [
  feed,
  signals,
  pmMarkets,
  pmTraders,
  pmWallet,
  discover,
  wallet,
  readAlerts,
  postAlert,
  removeAlert,
  readWatchlists,
  postWatchlist,
  removeWatchlist,
  accountEndpoint,
  chat,
  markets,
  traderRanks,
  walletRanks,
  coverage,
  signalEvidence,
  traderProfile,
  traderDays,
  traderTraits,
  traderCategories,
  traderPositions,
  traderMarkets,
  traderFills,
  walletProfiles,
  walletDays,
  walletTraits,
  walletTokens,
  walletHoldings,
  walletTrades,
  marketOutcomes,
  marketHours,
  marketHolders,
  marketFills,
  assetDays,
]
