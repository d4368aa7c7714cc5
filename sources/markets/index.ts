import { kalshiSources } from './kalshi/index.ts'
import { limitlessSources } from './limitless/index.ts'
import { polymarketSources } from './polymarket/index.ts'
import type { VenueSources } from './venue_sources.ts'

/** The folders of all venues. A new venue is a folder and a line here. */
export const venueSources: readonly VenueSources[] = [polymarketSources, limitlessSources, kalshiSources]
