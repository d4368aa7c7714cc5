import { buy, sell } from '#sim/markets/trading/orders.ts'
import { heldOf, later } from '#sim/markets/trading/trading_floor.ts'

import { publicKnowledge, trade } from './exchange.ts'
import { habits } from './habits.ts'
import { playerOf, type Pit } from './pit.ts'
import { lag_s } from './prices.ts'
import { wishOf, type Wish } from './wishes.ts'

/** A trader acts at the time of the floor: it sells something, or buys what it wants. */
export function takeTurn(pit: Pit): void {
  const { floor } = pit
  if (floor.random.chance(0.2) && sellSomething(pit)) return
  for (let attempt = 0; attempt < 12; attempt++) {
    const member = drawMember(pit)
    const player = playerOf(pit, member)
    if (floor.now_s < player.from_s || floor.now_s > player.until_s) continue
    const wish = firstWish(pit, member)
    if (wish !== null) return buyWish(pit, member, wish)
  }
}

function firstWish(pit: Pit, member: number): Wish | null {
  const { markets } = pit.floor.plan
  const offset = pit.floor.random.below(markets.length)
  for (let i = 0; i < markets.length; i++) {
    const wish = wishOf(pit, member, pit.strategies[member] ?? 'gambler', (offset + i) % markets.length)
    if (wish !== null) return wish
  }
  return null
}

/** Buys, and lets those who repeat the trader's orders follow. */
function buyWish(pit: Pit, member: number, { slot, knowledge }: Wish): void {
  const { floor } = pit
  trade(pit, { member, slot, side: buy, usd: stakeOf(pit, member), knowledge })
  for (const follower of pit.followers.get(member) ?? []) {
    const { delay_s } = playerOf(pit, follower)
    if (!floor.random.chance(0.7)) continue
    later(floor, floor.now_s + Math.round(delay_s * floor.random.between(0.5, 1.5)), () =>
      follow(pit, follower, { slot, knowledge }),
    )
  }
}

/** A copier has its leader's knowledge, until the public has more. */
function follow(pit: Pit, member: number, { slot, knowledge }: Wish): void {
  const { floor, prices } = pit
  const price = prices.mid(slot >> 1)
  const { closedAt_s } = floor.plan.draft
  if (price < 0.03 || price > 0.97 || floor.now_s >= closedAt_s || floor.now_s > playerOf(pit, member).until_s) return
  const isAhead = knowledge.winner !== null || knowledge.until_s > floor.now_s - lag_s
  const now = isAhead ? knowledge : publicKnowledge(pit, slot >> 1)
  trade(pit, { member, slot, side: buy, usd: stakeOf(pit, member), knowledge: now })
}

/** Orders of a trader differ by an order of magnitude. */
export const stakeOf = (pit: Pit, member: number): number =>
  Math.min(20_000, Math.max(2, playerOf(pit, member).bet_usd * Math.exp(0.8 * pit.floor.random.normal() - 0.3)))

/** Sellers are drawn from earlier buyers. The skilled mostly wait for the payout. */
function sellSomething(pit: Pit): boolean {
  const { floor } = pit
  for (let attempt = 0; attempt < 5 && floor.holders.length > 0; attempt++) {
    const place = floor.random.below(floor.holders.length)
    const key = floor.holders[place] ?? 0
    const [member, slot] = [Math.floor(key / floor.nSlots), key % floor.nSlots]
    const player = playerOf(pit, member)
    const held = heldOf(floor, member, slot)
    const price = pit.prices.mid(slot >> 1)
    const isGone = held < 1_000_000 || price < 0.02 || price > 0.98
    if (isGone || floor.now_s > player.until_s || (habits[player.strategy].isSkilled && floor.random.chance(0.8))) {
      floor.holders[place] = floor.holders[floor.holders.length - 1] ?? 0
      floor.holders.pop()
      continue
    }
    const size = floor.random.chance(0.6) ? held : Math.max(10_000, Math.floor(held / 20_000) * 10_000)
    trade(pit, { member, slot, side: sell, size, knowledge: publicKnowledge(pit, slot >> 1) })
    return true
  }
  return false
}

function drawMember({ floor: { random, weights } }: Pit): number {
  const target = random.next() * (weights[weights.length - 1] ?? 0)
  let low = 0
  let high = weights.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((weights[middle] ?? 0) > target) high = middle
    else low = middle + 1
  }
  return low
}
