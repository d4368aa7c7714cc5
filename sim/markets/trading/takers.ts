import type { Person } from '#sim/markets/traders.ts'

import { buy, execute, priceFor, sell } from './orders.ts'
import { fairOf, heldOf, personOf, type Pit } from './trading_floor.ts'

/** Someone does something at the pit's time. Returns how many matches came of it. */
export function takeTurn(pit: Pit): number {
  const { random } = pit
  if (random.chance(0.02)) return rebalance(pit)
  if (random.chance(0.23)) {
    const sold = sellSomething(pit)
    if (sold > 0) return sold
  }
  for (let attempt = 0; attempt < 10; attempt++) {
    const member = drawMember(pit)
    const slot = chooseSlot(pit, personOf(pit, member))
    if (slot !== undefined) return buySlot(pit, member, slot)
  }
  return buySlot(pit, drawMember(pit, 'generalist'), anySlot(pit))
}

/** One order of a trader who comes rarely: sells what they hold half of the time, else buys. */
export function takeOccasion(pit: Pit, member: number): number {
  const slot = pit.random.below(pit.nSlots)
  if (heldOf(pit, member, slot) > 0) sellSlot(pit, member, slot, 1)
  else buySlot(pit, member, chooseSlot(pit, personOf(pit, member)) ?? anySlot(pit), true)
  return 1
}

function buySlot(pit: Pit, member: number, slot: number, isOnce = false): number {
  const { random } = pit
  const price = priceFor(pit, member, slot, buy)
  const stake = personOf(pit, member).bet_usd * Math.exp(0.5 * random.normal())
  const draw = random.next()
  const cash = Math.max(100, Math.round(stake * 100)) * 10_000
  // By dollars the cash is round and the price long; by shares the size is round and the price on the grid.
  if (draw < 0.42) {
    execute(pit, { member, slot, side: buy, price, cash })
    return 1
  }
  const step = draw < 0.8 ? 1_000_000 : 10_000
  const size = Math.max(5_000_000, Math.round(cash / (price / 1e6) / step) * step)
  if (isOnce || !random.chance(0.006)) {
    execute(pit, { member, slot, side: buy, price, size })
    return 1
  }
  // Two orders settled together: rows that differ in nothing.
  const tx = pit.tape.nextTx++
  execute(pit, { member, slot, side: buy, price, size, tx })
  execute(pit, { member, slot, side: buy, price, size, tx })
  return 2
}

/** Who holds what is drawn from those that bought; makers and those who come rarely are not among them. */
function sellSomething(pit: Pit): number {
  for (let attempt = 0; attempt < 6 && pit.holders.length > 0; attempt++) {
    const place = pit.random.below(pit.holders.length)
    const key = pit.holders[place] ?? 0
    const member = Math.floor(key / pit.nSlots)
    const slot = key % pit.nSlots
    if ((pit.held[key] ?? 0) < 1_000_000 || personOf(pit, member).rate === 0) {
      pit.holders[place] = pit.holders[pit.holders.length - 1] ?? 0
      pit.holders.pop()
      continue
    }
    const draw = pit.random.next()
    sellSlot(pit, member, slot, draw < 0.58 ? 1 : draw < 0.85 ? 0.5 : 0.3, draw > 0.52 && draw < 0.58)
    return 1
  }
  return 0
}

/** Sells a share of a holding; `leavesDust` keeps a few thousandths of a share, as rounding does. */
export function sellSlot(pit: Pit, member: number, slot: number, share: number, leavesDust = false): void {
  const held = heldOf(pit, member, slot)
  const dust = leavesDust ? Math.min(held - 1, 1000 + pit.random.below(8000)) : 0
  const size =
    share === 1 ? held - dust : Math.min(held, Math.max(10_000, Math.round((held * share) / 10_000) * 10_000))
  if (size > 0) execute(pit, { member, slot, side: sell, price: priceFor(pit, member, slot, sell), size })
}

/** A maker with too much of one side sells some of it. */
function rebalance(pit: Pit): number {
  const member = pit.random.pick(pit.makers)
  const market = pit.random.below(pit.plan.markets.length)
  const excess = heldOf(pit, member, 2 * market) - heldOf(pit, member, 2 * market + 1)
  const slot = excess > 0 ? 2 * market : 2 * market + 1
  if (Math.abs(excess) < 50_000_000) return 0
  const size = Math.floor(Math.abs(excess) / 2 / 1_000_000) * 1_000_000
  execute(pit, { member, slot, side: sell, price: priceFor(pit, member, slot, sell), size })
  return 1
}

/** The token that a trader of this archetype buys now, if there is one. */
function chooseSlot(pit: Pit, person: Person): number | undefined {
  const { random, plan } = pit
  const { startsAt_s } = plan.draft
  const isInPlay = startsAt_s !== null && pit.now_s >= startsAt_s
  const isLine = person.archetype === 'sharp' || person.archetype === 'fade_target'
  if (isInPlay && isLine && !random.chance(0.2)) return undefined
  const offset = random.below(plan.markets.length)
  for (let i = 0; i < plan.markets.length; i++) {
    const market = (offset + i) % plan.markets.length
    const slot = wish(pit, person, market)
    if (slot !== undefined) return slot
  }
  return undefined
}

function wish(pit: Pit, person: Person, market: number): number | undefined {
  const first = 2 * market
  const p = pit.fair[market] ?? 0
  const moved = p - (pit.dayAgo(market) ?? Number.NaN)
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
      return p < 0.12 || p > 0.88 ? undefined : lean(pit, market)
    default:
      return p < 0.03 || p > 0.97 ? undefined : lean(pit, market)
  }
}

/** Takers lean against what takers did before, so that makers are not left with one side of everything. */
function lean(pit: Pit, market: number): number {
  const x = (pit.imbalance[market] ?? 0) / 1.5e9
  return 2 * market + (pit.random.chance(0.5 - (0.48 * x) / (1 + Math.abs(x))) ? 0 : 1)
}

/** The dearer or cheaper token of some market, whatever it is worth. */
function anySlot(pit: Pit): number {
  for (let attempt = 0; attempt < 8; attempt++) {
    const slot = pit.random.below(pit.nSlots)
    if (fairOf(pit, slot) > 0.004) return slot
  }
  return pit.random.below(pit.nSlots)
}

function drawMember(pit: Pit, archetype?: string): number {
  for (let attempt = 0; ; attempt++) {
    const target = pit.random.next() * (pit.weights[pit.weights.length - 1] ?? 0)
    let low = 0
    let high = pit.weights.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pit.weights[middle] ?? 0) > target) high = middle
      else low = middle + 1
    }
    if (archetype === undefined || attempt > 20 || personOf(pit, low).archetype === archetype) return low
  }
}
