import type { VenueSources } from '#sources/markets/venue_sources.ts'

import { kalshiArchive } from './kalshi_archive.ts'
import { kalshiMarkets } from './kalshi_markets.ts'
import { kalshiOdds } from './kalshi_odds.ts'
import { kalshiSettlements } from './kalshi_settlements.ts'
import { kalshiTrades } from './kalshi_trades.ts'
import { VENUE } from './wire/types.ts'

export const kalshiSources: VenueSources = {
  venue: VENUE,
  sources: [kalshiMarkets, kalshiSettlements, kalshiTrades, kalshiOdds, kalshiArchive],
  probes: [],
}
