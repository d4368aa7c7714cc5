import type { Endpoint } from '#api/contract/endpoint.ts'

import { accountEndpoint } from './account.ts'
import { postAlert, readAlerts, removeAlert } from './alerts.ts'
import { chat } from './chat.ts'
import { discover } from './discover.ts'
import { feed } from './feed.ts'
import { markets } from './markets.ts'
import { pmMarkets } from './pm_markets.ts'
import { pmTraders } from './pm_traders.ts'
import { pmWallet } from './pm_wallet.ts'
import { signalEvidence } from './signal_evidence.ts'
import { signals } from './signals.ts'
import { coverage } from './stored_coverage.ts'
import { traderRanks } from './trader_ranks.ts'
import { wallet } from './wallet.ts'
import { walletRanks } from './wallet_ranks.ts'
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
]
