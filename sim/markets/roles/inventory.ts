import { mergeAll, split, turnInto } from '#sim/markets/trading/multi_leg_trades.ts'
import { heldOf } from '#sim/markets/trading/trading_floor.ts'

import { playerOf, type Pit } from './pit.ts'

/** Some makers begin with complete sets. */
export function stockMakers({ floor, resting }: Pit): void {
  for (const maker of resting.market_maker)
    for (const market of floor.plan.markets.keys())
      if (floor.random.chance(0.4)) split(floor, maker, market, 1_000_000 * (50 + floor.random.below(400)))
}

/** From time to time a maker turns complete sets into dollars, and NO of some candidates into YES of the others. */
export function tidyMakers(pit: Pit): void {
  const { floor, resting } = pit
  for (const maker of resting.market_maker) {
    const market = floor.random.below(floor.plan.markets.length)
    if (floor.random.chance(0.3)) mergeAll(floor, maker, market, 1_000_000 * floor.random.below(30))
    if (floor.plan.draft.shape.isNegRisk && playerOf(pit, maker).isConverter) convertNo(pit, maker)
  }
}

function convertNo({ floor }: Pit, maker: number): void {
  const { markets } = floor.plan
  const surplus = (market: number): number => heldOf(floor, maker, 2 * market + 1)
  const ranked = [...markets.keys()].sort((a, b) => surplus(b) - surplus(a) || a - b)
  const converted = ranked.slice(0, 1 + floor.random.below(Math.min(2, markets.length - 1)))
  const least = Math.min(...converted.map((market) => surplus(market)))
  const size = 1_000_000 * Math.floor(least / 2_000_000)
  if (size > 0) turnInto(floor, maker, converted, size)
}
