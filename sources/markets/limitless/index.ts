import type { VenueSources } from '#sources/markets/venue_sources.ts'

import { VENUE } from './hosts.ts'
import { limitlessActivity } from './limitless_activity.ts'
import { limitlessLifecycle } from './limitless_lifecycle.ts'
import { limitlessMarkets } from './limitless_markets.ts'
import { limitlessOdds } from './limitless_odds.ts'
import { limitlessResolutions } from './limitless_resolutions.ts'
import { limitlessTrades } from './limitless_trades.ts'
import { limitlessProbes } from './probes/limitless_probes.ts'

export const limitlessSources: VenueSources = {
  venue: VENUE,
  sources: [
    limitlessMarkets,
    limitlessTrades,
    limitlessActivity,
    limitlessResolutions,
    limitlessOdds,
    limitlessLifecycle,
  ],
  probes: limitlessProbes,
}
