import type { VenueSources } from '#sources/markets/venue_sources.ts'

import { VENUE } from './hosts.ts'
import { manifoldAccounts } from './manifold_accounts.ts'
import { manifoldMarkets } from './manifold_markets.ts'
import { manifoldTrades } from './manifold_trades.ts'

export const manifoldSources: VenueSources = {
  venue: VENUE,
  sources: [manifoldMarkets, manifoldTrades, manifoldAccounts],
  probes: [],
}
