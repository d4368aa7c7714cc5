import { writeMatch, type Leg } from './tape.ts'
import { fairOf, give, heldOf, personOf, type Pit } from './trading_floor.ts'

export const buy = 0
export const sell = 1
const one = 1_000_000

/** What a taker asks for; `size` in shares or `cash` in dollars, in millionths. The price is a limit on the grid. */
export type Order = {
  member: number
  slot: number
  side: number
  price: number
  tx?: number
  /** The member that fills it whole, at exactly that price. */
  to?: number
} & ({ size: number } | { cash: number })

type Part = { price: number; size: number; cash: number }

/** Fills an order against one or more makers and writes the match. Says how many shares changed hands. */
export function execute(pit: Pit, order: Order): number {
  const market = pit.plan.markets[order.slot >> 1]
  if (market === undefined) throw new RangeError(`the pit has no slot ${order.slot}`)
  const parts = order.to === undefined ? cut(pit, order, market.tick) : [partOf(order, order.price)]
  const makers = parts.map((part) => meet(pit, order, part))
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  const cash = parts.reduce((sum, part) => sum + part.cash, 0)
  const fee = Math.round((market.feeRate * cash * (size - cash)) / size)
  const taker = {
    trader: personOf(pit, order.member).index,
    outcome: order.slot % 2,
    side: order.side,
    size,
    cash,
    fee,
  }
  give(pit, order.member, order.slot, order.side === buy ? size : -size)
  if (order.side === buy) pit.holders.push(order.member * pit.nSlots + order.slot)
  const sign = (order.side === buy) === (order.slot % 2 === 0) ? 1 : -1
  pit.imbalance[order.slot >> 1] = (pit.imbalance[order.slot >> 1] ?? 0) + sign * size
  const tx = order.tx ?? pit.tape.nextTx++
  const at = { ts_s: pit.now_s, market: market.index, fair: pit.fair[order.slot >> 1] ?? 0, tx }
  writeMatch(pit.tape, at, [taker, ...makers.flat()])
  return size
}

/** Most orders meet one resting order; some sweep several, at one tick after another. */
function cut(pit: Pit, order: Order, tick: number): Part[] {
  const { random } = pit
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
    ? { price, cash: amount.cash, size: Math.round((amount.cash / price) * one) }
    : { price, cash: Math.max(1, Math.round(amount.size * (price / one))), size: amount.size }

/** Finds who fills a part: rarely the taker, now and then another trader, else a market maker. */
function meet(pit: Pit, order: Order, part: Part): Leg[] {
  const other = order.slot ^ 1
  const isBuy = order.side === buy
  const { random } = pit
  if (order.to !== undefined) return [rest(pit, order.to, order.slot, isBuy ? sell : buy, part)]
  if (isBuy && random.chance(0.0008) && heldOf(pit, order.member, order.slot) >= part.size) {
    return [rest(pit, order.member, order.slot, sell, part)]
  }
  const friend = random.chance(0.16) ? findResting(pit, order, part) : undefined
  if (friend !== undefined) return [friend]

  // Stock is sold where there is some; else the other side is bought and the pair minted or merged.
  const stocked = isBuy ? order.slot : other
  const maker = pickMaker(pit, order.member, stocked)
  const hasStock = heldOf(pit, maker, stocked) >= part.size
  const slot = hasStock ? stocked : isBuy ? other : order.slot
  const side = hasStock ? sell : buy
  const isTwin = random.chance(0.012) && part.size % 2 === 0 && part.cash % 2 === 0
  if (!isTwin) return [rest(pit, maker, slot, side, part, order.slot)]
  const half = { ...part, size: part.size / 2, cash: part.cash / 2 }
  return [rest(pit, maker, slot, side, half, order.slot), rest(pit, maker, slot, side, half, order.slot)]
}

/** Of two makers the one that is longer of what is wanted: so none is left with one side of everything. */
function pickMaker(pit: Pit, taker: number, stocked: number): number {
  const excess = (maker: number) => heldOf(pit, maker, stocked) - heldOf(pit, maker, stocked ^ 1)
  for (;;) {
    const [a, b] = [pit.random.pick(pit.makers), pit.random.pick(pit.makers)]
    if (a === taker || b === taker) continue
    return excess(a) >= excess(b) ? a : b
  }
}

const bidders = new Set(['generalist', 'fade_target', 'sharp'])

/** Another trader whose own advantage is about the taker's loss, so that planted edges stay what they are. */
function findResting(pit: Pit, order: Order, part: Part): Leg | undefined {
  const taker = personOf(pit, order.member)
  for (let attempt = 0; attempt < 4; attempt++) {
    const member = pit.random.below(pit.members.length)
    const person = personOf(pit, member)
    if (member === order.member || person.rate === 0 || Math.abs(person.edge + taker.edge) > 2.2) continue
    const stocked = order.side === buy ? order.slot : order.slot ^ 1
    if (heldOf(pit, member, stocked) >= part.size) return rest(pit, member, stocked, sell, part, order.slot)
    const wanted = stocked ^ 1
    const cost = wanted === order.slot ? part.cash : part.size - part.cash
    if (!bidders.has(person.archetype) || cost > 4e6 * person.bet_usd || cost < 1e6) continue
    pit.holders.push(member * pit.nSlots + wanted)
    return rest(pit, member, wanted, buy, part, order.slot)
  }
  return undefined
}

/** The maker's row: on the other token its cash is what is left of a dollar. */
function rest(pit: Pit, member: number, slot: number, side: number, part: Part, takerSlot = slot): Leg {
  const cash = slot === takerSlot ? part.cash : part.size - part.cash
  give(pit, member, slot, side === buy ? part.size : -part.size)
  return { trader: personOf(pit, member).index, outcome: slot % 2, side, size: part.size, cash, fee: 0 }
}

/** The nearest price that can be quoted. */
export const onGrid = (price: number, tick: number): number =>
  Math.min(one - tick, Math.max(tick, Math.round(price / tick) * tick))

/**
 * The price at which a taker gets filled: what the token is fairly worth, less the trader's advantage (net of the
 * fee), give or take; rounded to the grid by lot, so that rounding favours no one.
 */
export function priceFor(pit: Pit, member: number, slot: number, side: number): number {
  const market = pit.plan.markets[slot >> 1]
  if (market === undefined) throw new RangeError(`the pit has no slot ${slot}`)
  const fair = fairOf(pit, slot)
  const spread = fair * (1 - fair)
  const advantage = (personOf(pit, member).edge / 100) * Math.min(1, 5 * spread) + market.feeRate * spread
  const noise = 0.006 * Math.min(1, 5 * spread) * pit.random.normal()
  const target = (side === buy ? fair - advantage : fair + advantage) + noise
  const low = Math.floor((target * one) / market.tick) * market.tick
  const isUp = pit.random.chance((target * one - low) / market.tick)
  return onGrid(isUp ? low + market.tick : low, market.tick)
}
