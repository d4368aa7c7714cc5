import { now_s } from '#sim/markets/event_templates.ts'

import { split } from './multi_leg_trades.ts'
import { buy, execute, onGrid } from './orders.ts'
import { later, personOf, type TradingFloor } from './trading_floor.ts'

/** How often a pair trades with each other in one window. */
const n_prints = 10

/**
 * Two wallets of one owner trade with each other in the close window of a market, above the fair price of the token
 * that they bought before: the close of a naive score would rise.
 */
export function washAtClose(floor: TradingFloor): void {
  const { draft, markets } = floor.plan
  const { startsAt_s } = draft
  if (startsAt_s === null || startsAt_s > now_s || startsAt_s - 3600 < draft.createdAt_s) return
  for (const [member, partner] of pairsOf(floor)) {
    if (!floor.random.chance(0.9)) continue
    const market = floor.random.below(markets.length)
    const tick = markets[market]?.tick ?? 10_000
    const slot = 2 * market + floor.random.below(2)
    const size = 1_000_000 * (200 + floor.random.below(400))
    later(floor, startsAt_s - 1800, () => split(floor, partner, market, n_prints * size))
    for (let print = 0; print < n_prints; print++) {
      later(floor, startsAt_s - 60 - floor.random.below(800), () => {
        const fair = floor.fair[market] ?? 0.5
        const price = onGrid(1e6 * ((slot % 2 === 0 ? fair : 1 - fair) + 0.05), tick)
        execute(floor, { member, slot, side: buy, price, size, to: partner })
      })
    }
  }
}

/** The pairs of wallets of one owner among the members. */
function pairsOf(floor: TradingFloor): [number, number][] {
  return floor.members.flatMap((index, member): [number, number][] => {
    const partner = personOf(floor, member).partner
    const other = partner === null || partner < index ? -1 : floor.members.indexOf(partner)
    return other < 0 ? [] : [[member, other]]
  })
}
