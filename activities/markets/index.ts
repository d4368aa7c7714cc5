import type { Source } from '#activities/source.ts'

import { polymarketActivity } from './polymarket_activity.ts'
import { polymarketClobMarkets } from './polymarket_clob_markets.ts'
import { polymarketFeed } from './polymarket_feed.ts'
import { polymarketMarkets } from './polymarket_markets.ts'
import { polymarketOdds } from './polymarket_odds.ts'
import { polymarketResolutions } from './polymarket_resolutions.ts'
import { polymarketTrades } from './polymarket_trades.ts'

/** The sources of Polymarket. Each plans by what those before it have stored. */
export const polymarketSources: readonly Source[] = [
  polymarketMarkets,
  polymarketClobMarkets,
  polymarketOdds,
  polymarketFeed,
  polymarketTrades,
  polymarketActivity,
  polymarketResolutions,
]
