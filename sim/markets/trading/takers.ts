import { skillAt } from '#sim/markets/hardship.ts'
import type { Person } from '#sim/markets/traders.ts'

import { buy, execute, priceFor, sell } from './orders.ts'
import { fairOf, heldOf, personOf, type TradingFloor } from './trading_floor.ts'

/** A trader acts at the floor's time. Returns the number of matches. */
export function takeTurn(floor: TradingFloor): number {
  const { random } = floor
  if (random.chance(0.02)) return rebalance(floor)
  if (random.chance(0.23)) {
    const sold = sellSomething(floor)
    if (sold > 0) return sold
  }
  for (let attempt = 0; attempt < 10; attempt++) {
    const member = drawMember(floor)
    const informed = informedSlot(floor, personOf(floor, member))
    if (informed === 'wait') continue
    if (informed !== undefined) return buySlot(floor, member, informed.slot, false, informed.foreseen)
    const slot = chooseSlot(floor, personOf(floor, member))
    if (slot !== undefined) return buySlot(floor, member, slot)
  }
  return buySlot(floor, drawMember(floor, 'generalist'), anySlot(floor))
}

/** One order of a rare trader: a sale half of the time if shares are held, else a purchase. */
export function takeOccasion(floor: TradingFloor, member: number): number {
  const slot = floor.random.below(floor.nSlots)
  if (heldOf(floor, member, slot) > 0) sellSlot(floor, member, slot, 1)
  else buySlot(floor, member, chooseSlot(floor, personOf(floor, member)) ?? anySlot(floor), true)
  return 1
}

/**
 * What an informed trader of a hard world buys: the token that rises most in the next hours. It waits where none rises
 * by a point. Undefined where it knows nothing.
 */
function informedSlot(floor: TradingFloor, person: Person): { slot: number; foreseen: number } | 'wait' | undefined {
  const { hardship, plan } = floor
  if (hardship === null || person.archetype !== 'sharp') return undefined
  if (!floor.random.chance(0.9 * skillAt(person, floor.now_s))) return undefined
  if (plan.draft.startsAt_s !== null && floor.now_s >= plan.draft.startsAt_s) return undefined
  let best = { slot: -1, foreseen: 0, gain: 0.01 }
  for (const market of plan.markets.keys()) {
    const p = floor.fair[market] ?? 0
    const foreseen = floor.foresee(market)
    if (foreseen === undefined || p < 0.08 || p > 0.92) continue
    const gain = Math.abs(foreseen - p)
    if (gain > best.gain) best = { slot: 2 * market + (foreseen > p ? 0 : 1), foreseen, gain }
  }
  return best.slot < 0 ? 'wait' : best
}

function buySlot(floor: TradingFloor, member: number, slot: number, isOnce = false, foreseen?: number): number {
  const { random } = floor
  const price = priceFor(floor, member, slot, buy)
  const person = personOf(floor, member)
  const stake = person.bet_usd * appetite(floor, person)
  const knowing = foreseen === undefined ? {} : { foreseen }
  const draw = random.next()
  const cash = Math.max(100, Math.round(stake * 100)) * 10_000
  // An order in dollars has round cash; an order in shares has a round size and a price on the grid.
  if (draw < 0.42) {
    execute(floor, { member, slot, side: buy, price, cash, ...knowing })
    return 1
  }
  const step = draw < 0.8 ? 1_000_000 : 10_000
  const size = Math.max(5_000_000, Math.round(cash / (price / 1e6) / step) * step)
  if (isOnce || !random.chance(0.006)) {
    execute(floor, { member, slot, side: buy, price, size, ...knowing })
    return 1
  }
  // Two orders settled together: rows that are equal in all columns.
  const tx = floor.tape.nextTx++
  execute(floor, { member, slot, side: buy, price, size, tx, ...knowing })
  execute(floor, { member, slot, side: buy, price, size, tx, ...knowing })
  return 2
}

/**
 * An order in units of the trader's typical one. In a hard world they differ by orders of magnitude, those of a large
 * trader differ little.
 */
const appetite = ({ hardship, random }: TradingFloor, { isLarge }: Person): number =>
  hardship === null
    ? Math.exp((isLarge ? 0.25 : 0.5) * random.normal())
    : Math.min(200, Math.exp(2 * random.normal() - 1))

/** Sellers are drawn from earlier buyers, without makers, rare traders and large ones, which wait for the payout. */
function sellSomething(floor: TradingFloor): number {
  for (let attempt = 0; attempt < 6 && floor.holders.length > 0; attempt++) {
    const place = floor.random.below(floor.holders.length)
    const key = floor.holders[place] ?? 0
    const member = Math.floor(key / floor.nSlots)
    const slot = key % floor.nSlots
    const { rate, isLarge } = personOf(floor, member)
    if ((floor.held[key] ?? 0) < 1_000_000 || rate === 0 || isLarge) {
      floor.holders[place] = floor.holders[floor.holders.length - 1] ?? 0
      floor.holders.pop()
      continue
    }
    const draw = floor.random.next()
    sellSlot(floor, member, slot, draw < 0.58 ? 1 : draw < 0.85 ? 0.5 : 0.3, draw > 0.52 && draw < 0.58)
    return 1
  }
  return 0
}

/** Sells a part of a holding; `leavesDust` leaves a few thousandths of a share, as rounding does. */
export function sellSlot(floor: TradingFloor, member: number, slot: number, share: number, leavesDust = false): void {
  const held = heldOf(floor, member, slot)
  const dust = leavesDust ? Math.min(held - 1, 1000 + floor.random.below(8000)) : 0
  const size =
    share === 1 ? held - dust : Math.min(held, Math.max(10_000, Math.round((held * share) / 10_000) * 10_000))
  if (size > 0) execute(floor, { member, slot, side: sell, price: priceFor(floor, member, slot, sell), size })
}

/** A maker with too much of one side sells some of it. */
function rebalance(floor: TradingFloor): number {
  const member = floor.random.pick(floor.makers)
  const market = floor.random.below(floor.plan.markets.length)
  const excess = heldOf(floor, member, 2 * market) - heldOf(floor, member, 2 * market + 1)
  const slot = excess > 0 ? 2 * market : 2 * market + 1
  if (Math.abs(excess) < 50_000_000) return 0
  const size = Math.floor(Math.abs(excess) / 2 / 1_000_000) * 1_000_000
  execute(floor, { member, slot, side: sell, price: priceFor(floor, member, slot, sell), size })
  return 1
}

/** The token that a trader of this archetype buys now, if any. */
function chooseSlot(floor: TradingFloor, person: Person): number | undefined {
  const { random, plan } = floor
  const { startsAt_s } = plan.draft
  const isInPlay = startsAt_s !== null && floor.now_s >= startsAt_s
  const isLine = person.archetype === 'sharp' || person.archetype === 'fade_target'
  if (isInPlay && isLine && !random.chance(0.2)) return undefined
  const offset = random.below(plan.markets.length)
  for (let i = 0; i < plan.markets.length; i++) {
    const market = (offset + i) % plan.markets.length
    const slot = wish(floor, person, market)
    if (slot !== undefined) return slot
  }
  return undefined
}

function wish(floor: TradingFloor, person: Person, market: number): number | undefined {
  const first = 2 * market
  const p = floor.fair[market] ?? 0
  const moved = p - (floor.dayAgo(market) ?? Number.NaN)
  switch (person.archetype) {
    case 'longshot_hunter':
      return p >= 0.025 && p <= 0.17 ? first : p <= 0.975 && p >= 0.83 ? first + 1 : undefined
    case 'favorite_backer':
      return p >= 0.83 && p <= 0.975 ? first : p <= 0.17 && p >= 0.025 ? first + 1 : undefined
    case 'momentum_chaser':
      if (moved >= 0.055 && p < 0.95) return first
      return moved <= -0.055 && p > 0.05 ? first + 1 : undefined
    case 'value_hunter':
      if (p < 0.07 || p > 0.93) return undefined
      if (moved <= -0.01) return first
      return moved >= 0.01 ? first + 1 : undefined
    case 'sharp':
    case 'fade_target':
    case 'whale':
      return p < 0.12 || p > 0.88 ? undefined : lean(floor, market)
    default:
      return p < 0.03 || p > 0.97 ? undefined : lean(floor, market)
  }
}

/** Takers trade against earlier takers, so that makers are not left with one side. */
function lean(floor: TradingFloor, market: number): number {
  const { hardship, plan } = floor
  if (hardship !== null && floor.random.chance(0.35))
    return 2 * market + hardship.fashion(plan.event.category, floor.now_s)
  const x = (floor.imbalance[market] ?? 0) / 1.5e9
  return 2 * market + (floor.random.chance(0.5 - (0.48 * x) / (1 + Math.abs(x))) ? 0 : 1)
}

/** The more or less expensive token of a random market. */
function anySlot(floor: TradingFloor): number {
  for (let attempt = 0; attempt < 8; attempt++) {
    const slot = floor.random.below(floor.nSlots)
    if (fairOf(floor, slot) > 0.004) return slot
  }
  return floor.random.below(floor.nSlots)
}

function drawMember(floor: TradingFloor, archetype?: string): number {
  for (let attempt = 0; ; attempt++) {
    const target = floor.random.next() * (floor.weights[floor.weights.length - 1] ?? 0)
    let low = 0
    let high = floor.weights.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((floor.weights[middle] ?? 0) > target) high = middle
      else low = middle + 1
    }
    if (archetype === undefined || attempt > 20 || personOf(floor, low).archetype === archetype) return low
  }
}
