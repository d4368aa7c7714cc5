import { skillAt } from '#sim/markets/hardship.ts'

import { writeMatch, type Leg } from './tape.ts'
import { fairOf, give, heldOf, personOf, type TradingFloor } from './trading_floor.ts'

export const buy = 0
export const sell = 1
const dollar = 1_000_000
/** What an order of 1,000 US dollars moves the price in a hard world, in US dollars. */
const pressure = 0.0005

/** A taker's order; `size` in shares or `cash` in dollars, in millionths. The price is a limit on the grid. */
export type Order = {
  member: number
  slot: number
  side: number
  price: number
  tx?: number
  /** The price of outcome 0 that the taker knows to come; without it nothing but the fair price is known. */
  foreseen?: number
  /** The member that fills the whole order, at exactly that price. */
  to?: number
} & ({ size: number } | { cash: number })

export type Part = { price: number; size: number; cash: number }

/** Fills an order against one or more makers and writes the match. Returns the number of shares traded. */
export function execute(floor: TradingFloor, order: Order): number {
  const market = floor.plan.markets[order.slot >> 1]
  if (market === undefined) throw new RangeError(`floor: no slot ${order.slot}; expected a slot of the event`)
  const parts = order.to === undefined ? cut(floor, order, market.tick) : [partOf(order, order.price)]
  const makers = parts.map((part) => meet(floor, order, part))
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  const cash = parts.reduce((sum, part) => sum + part.cash, 0)
  // The venue takes whole hundred-thousandths.
  const fee = 10 * Math.floor((market.feeRate * cash * (size - cash)) / size / 10 + 1e-6)
  const taker = {
    trader: personOf(floor, order.member).index,
    outcome: order.slot % 2,
    side: order.side,
    size,
    cash,
    fee,
  }
  give(floor, order.member, order.slot, order.side === buy ? size : -size)
  if (order.side === buy) floor.holders.push(order.member * floor.nSlots + order.slot)
  const sign = (order.side === buy) === (order.slot % 2 === 0) ? 1 : -1
  // In a hard world orders press by their cash: takers that lean against shares would press cheap tokens down for good.
  floor.imbalance[order.slot >> 1] =
    (floor.imbalance[order.slot >> 1] ?? 0) + sign * (floor.hardship === null ? size : 2 * cash)
  const tx = order.tx ?? floor.tape.nextTx++
  const fair = floor.fair[order.slot >> 1] ?? 0
  if (floor.hardship !== null) floor.press(order.slot >> 1, sign * Math.min(0.01, (pressure * cash) / 1e9))
  const moved = (floor.fair[order.slot >> 1] ?? 0) - fair
  const expected = (order.foreseen ?? fair) + moved
  const at = { ts_s: floor.now_s, market: market.index, fair, expected, tx }
  writeMatch(floor.tape, at, [taker, ...makers.flat()])
  return size
}

/** Most orders meet one resting order; some take several, at one tick after another. */
function cut(floor: TradingFloor, order: Order, tick: number): Part[] {
  const { random } = floor
  const draw = random.next()
  const wanted = draw < 0.68 ? 1 : draw < 0.9 ? 2 : draw < 0.98 ? 3 : 4
  const direction = order.side === buy ? 1 : -1
  const unit = 10_000
  const total = 'cash' in order ? order.cash : order.size
  const n = total >= 8 * unit * wanted ? wanted : 1
  const parts: Part[] = []
  let left = total
  for (let i = 0; i < n; i++) {
    const price = onGrid(order.price + direction * tick * (i - ((n - 1) >> 1)), tick)
    const share = left / (n - i)
    const amount = i === n - 1 ? left : Math.max(unit, Math.floor((share * random.between(0.5, 1.5)) / unit) * unit)
    left -= amount
    parts.push(partOf('cash' in order ? { cash: amount } : { size: amount }, price))
  }
  return parts
}

const partOf = (amount: { size: number } | { cash: number }, price: number): Part =>
  'cash' in amount
    ? { price, cash: amount.cash, size: Math.round((amount.cash / price) * dollar) }
    : { price, cash: Math.max(1, Math.round(amount.size * (price / dollar))), size: amount.size }

/** Finds the counterparty of a part: rarely the taker, sometimes another trader, else a market maker. */
function meet(floor: TradingFloor, order: Order, part: Part): Leg[] {
  const other = order.slot ^ 1
  const isBuy = order.side === buy
  const { random } = floor
  if (order.to !== undefined) return [rest(floor, order.to, order.slot, isBuy ? sell : buy, part)]
  if (isBuy && random.chance(0.0008) && heldOf(floor, order.member, order.slot) >= part.size) {
    return [rest(floor, order.member, order.slot, sell, part)]
  }
  const friend = random.chance(0.16) ? findResting(floor, order, part) : undefined
  if (friend !== undefined) return [friend]

  // Held shares are sold; without them the other side is bought and the pair minted or merged.
  const stocked = isBuy ? order.slot : other
  const maker = pickMaker(floor, order.member, stocked)
  const hasStock = heldOf(floor, maker, stocked) >= part.size
  const slot = hasStock ? stocked : isBuy ? other : order.slot
  const side = hasStock ? sell : buy
  const isTwin = random.chance(0.012) && part.size % 2 === 0 && part.cash % 2 === 0
  if (!isTwin) return [rest(floor, maker, slot, side, part, order.slot)]
  const half = { ...part, size: part.size / 2, cash: part.cash / 2 }
  return [rest(floor, maker, slot, side, half, order.slot), rest(floor, maker, slot, side, half, order.slot)]
}

/** Chooses the maker with more of the bought token, so that no maker is left with one side. */
function pickMaker(floor: TradingFloor, taker: number, stocked: number): number {
  const excess = (maker: number) => heldOf(floor, maker, stocked) - heldOf(floor, maker, stocked ^ 1)
  for (;;) {
    const [a, b] = [floor.random.pick(floor.makers), floor.random.pick(floor.makers)]
    if (a === taker || b === taker) continue
    return excess(a) >= excess(b) ? a : b
  }
}

const bidders = new Set(['generalist', 'fade_target', 'sharp'])

/** Another trader with about the opposite advantage, so that planted advantages stay exact. Large ones only take. */
function findResting(floor: TradingFloor, order: Order, part: Part): Leg | undefined {
  const taker = personOf(floor, order.member)
  for (let attempt = 0; attempt < 4; attempt++) {
    const member = floor.random.below(floor.members.length)
    const person = personOf(floor, member)
    if (member === order.member || person.rate === 0 || person.isLarge) continue
    if (Math.abs(person.edge + taker.edge) > 2.2) continue
    const stocked = order.side === buy ? order.slot : order.slot ^ 1
    if (heldOf(floor, member, stocked) >= part.size) return rest(floor, member, stocked, sell, part, order.slot)
    const wanted = stocked ^ 1
    const cost = wanted === order.slot ? part.cash : part.size - part.cash
    if (!bidders.has(person.archetype) || cost > 4e6 * person.bet_usd || cost < 1e6) continue
    floor.holders.push(member * floor.nSlots + wanted)
    return rest(floor, member, wanted, buy, part, order.slot)
  }
  return undefined
}

/** The maker's row: on the other token its cash is the rest of a dollar. */
export function rest(
  floor: TradingFloor,
  member: number,
  slot: number,
  side: number,
  part: Part,
  takerSlot = slot,
): Leg {
  const cash = slot === takerSlot ? part.cash : part.size - part.cash
  give(floor, member, slot, side === buy ? part.size : -part.size)
  return { trader: personOf(floor, member).index, outcome: slot % 2, side, size: part.size, cash, fee: 0 }
}

/** The nearest price on the grid. */
export const onGrid = (price: number, tick: number): number =>
  Math.min(dollar - tick, Math.max(tick, Math.round(price / tick) * tick))

/** The trader's advantage in the price; skill fades in a hard world. */
function edgeOf(floor: TradingFloor, member: number): number {
  const person = personOf(floor, member)
  const isFading = floor.hardship !== null && person.edge > 0
  return (person.edge * (isFading ? skillAt(person, floor.now_s) : 1)) / 100
}

/**
 * The fill price of a taker: the fair price of the token minus the trader's advantage (net of the fee), with noise.
 * Rounding to the grid is random, so that it favours no side.
 */
export function priceFor(floor: TradingFloor, member: number, slot: number, side: number): number {
  const market = floor.plan.markets[slot >> 1]
  if (market === undefined) throw new RangeError(`floor: no slot ${slot}; expected a slot of the event`)
  const fair = fairOf(floor, slot)
  const spread = fair * (1 - fair)
  const advantage = edgeOf(floor, member) * Math.min(1, 5 * spread) + market.feeRate * spread
  const noise = 0.006 * Math.min(1, 5 * spread) * floor.random.normal()
  const target = (side === buy ? fair - advantage : fair + advantage) + noise
  const low = Math.floor((target * dollar) / market.tick) * market.tick
  const isUp = floor.random.chance((target * dollar - low) / market.tick)
  return onGrid(isUp ? low + market.tick : low, market.tick)
}
