import { polymarketActivity } from './markets/polymarket/polymarket_activity.ts'
import { polymarketClobMarkets } from './markets/polymarket/polymarket_clob_markets.ts'
import { polymarketFeed } from './markets/polymarket/polymarket_feed.ts'
import { polymarketMarkets } from './markets/polymarket/polymarket_markets.ts'
import { polymarketOdds } from './markets/polymarket/polymarket_odds.ts'
import { polymarketResolutions } from './markets/polymarket/polymarket_resolutions.ts'
import { polymarketTrades } from './markets/polymarket/polymarket_trades.ts'
import type { Source } from './source.ts'

/** All sources, in the order in which they build on each other: each plans by what those before it have stored. */
export const sources: readonly Source[] = [
  polymarketMarkets,
  polymarketClobMarkets,
  polymarketResolutions,
  polymarketTrades,
  polymarketActivity,
  polymarketFeed,
  polymarketOdds,
]
