import type { Source } from '#activities/source.ts'

import { polymarketMarkets } from './polymarket_markets.ts'
import { polymarketTrades } from './polymarket_trades.ts'

/** The sources of prediction markets, in the order in which one feeds the plans of the next. */
export const polymarketSources: readonly Source[] = [polymarketMarkets, polymarketTrades]
