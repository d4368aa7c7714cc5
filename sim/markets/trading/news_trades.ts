import type { News } from '#sim/markets/event_templates.ts'

import { buy, execute, priceFor } from './orders.ts'
import { takeTurn } from './takers.ts'
import { later, personOf, type TradingFloor } from './trading_floor.ts'

/** The first order on news, in usual orders of its trader: far more than any other order of the trader. */
const firstOrder = 80
/** The other orders on news, and the seconds until the last of them. */
const n_orders = 80
const rush_s = 3 * 3_600

/**
 * The orders on breaking news. One of the large traders buys at once, on the side to which the news moves the odds.
 * Others follow, most of them while the odds move.
 */
export function tradeOnNews(floor: TradingFloor, { from_s, logits, leader }: News): void {
  const large = floor.members
    .map((_, member) => member)
    .filter((member) => personOf(floor, member).isLarge)
    .toSorted((a, b) => personOf(floor, a).index - personOf(floor, b).index)
  const first = large[leader % large.length]
  if (first !== undefined)
    later(floor, from_s + 120, () => {
      const slot = logits > 0 ? 0 : 1
      const cash = Math.round(firstOrder * personOf(floor, first).bet_usd) * 1_000_000
      execute(floor, { member: first, slot, side: buy, price: priceFor(floor, first, slot, buy), cash })
    })
  for (let n = 0; n < n_orders; n++) {
    const after_s = rush_s * floor.random.next() * floor.random.next()
    later(floor, from_s + 180 + Math.floor(after_s), () => void takeTurn(floor))
  }
}
