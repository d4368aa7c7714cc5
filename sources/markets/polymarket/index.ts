import type { VenueSources } from '#sources/markets/venue_sources.ts'

import { polymarketActivity } from './polymarket_activity.ts'
import { polymarketBook } from './polymarket_book.ts'
import { polymarketChain } from './polymarket_chain.ts'
import { polymarketClobMarkets } from './polymarket_clob_markets.ts'
import { polymarketFeed } from './polymarket_feed.ts'
import { polymarketMarkets } from './polymarket_markets.ts'
import { polymarketOdds } from './polymarket_odds.ts'
import { polymarketPush } from './polymarket_push.ts'
import { polymarketResolutions } from './polymarket_resolutions.ts'
import { polymarketTrades } from './polymarket_trades.ts'
import { bookProbes } from './probes/book_probes.ts'
import { pushProbes } from './probes/push_probes.ts'
import { restProbes } from './probes/rest_probes.ts'
import { VENUE } from './wire/types.ts'

export const polymarketSources: VenueSources = {
  venue: VENUE,
  sources: [
    polymarketMarkets,
    polymarketClobMarkets,
    polymarketResolutions,
    polymarketTrades,
    polymarketActivity,
    polymarketFeed,
    polymarketPush,
    polymarketOdds,
    polymarketBook,
    polymarketChain,
  ],
  probes: [...restProbes, ...pushProbes, ...bookProbes],
}
