import type { Endpoint } from '#api/contract/endpoint.ts'

import { accountEndpoint } from './account.ts'
import { pmMarkets } from './pm_markets.ts'
import { pmTraders } from './pm_traders.ts'
import { pmWallet } from './pm_wallet.ts'
import { postWatchlist, readWatchlists, removeWatchlist } from './watchlists.ts'

/** The endpoints below `/v1`. A new endpoint is a file and a line here. */
export const endpoints: readonly Endpoint[] = [
  pmMarkets,
  pmTraders,
  pmWallet,
  readWatchlists,
  postWatchlist,
  removeWatchlist,
  accountEndpoint,
]
