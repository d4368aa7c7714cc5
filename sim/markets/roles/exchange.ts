import { day_s } from '#sim/markets/event_templates.ts'
import { buy, onGrid, rest, sell, type Part } from '#sim/markets/trading/orders.ts'
import { writeMatch, type Leg } from '#sim/markets/trading/tape.ts'
import { give, heldOf, personOf } from '#sim/markets/trading/trading_floor.ts'

import { playerOf, type Pit } from './pit.ts'
import { lag_s, type Knowledge } from './prices.ts'

const dollar = 1_000_000
/** What an order of 100 US dollars moves the price; it grows with the root of the order. */
export const impact = 0.0012

/** A taker's order with what its taker knows. It buys for `usd`, or sells `size` shares in millionths. */
export type RoleOrder = {
  member: number
  slot: number
  knowledge: Knowledge
  /** The member that fills it, at the midpoint. */
  to?: number
  /** By how much the taker's partners will lift the price of outcome 0 at the start. */
  lift?: number
} & ({ side: typeof buy; usd: number } | { side: typeof sell; size: number })

/** What everybody knows. */
export const publicKnowledge = ({ floor, prices }: Pit, market: number): Knowledge => ({
  chance: prices.publicChance(market, floor.now_s),
  until_s: floor.now_s - lag_s,
  winner: null,
})

/** Fills an order against resting ones, and writes the match with its truth. */
export function trade(pit: Pit, order: RoleOrder): void {
  const { floor, prices } = pit
  const index = order.slot >> 1
  const market = floor.plan.markets[index]
  if (market === undefined) throw new RangeError(`pit: no slot ${order.slot}; expected a slot of the event`)
  const mid = prices.mid(index)
  const price = priceOf(pit, order, market.tick, market.bookHalf)
  const total =
    order.side === buy ? Math.max(dollar, 10_000 * Math.round((order.usd * 100 * dollar) / price)) : order.size
  const parts = cut(pit, total, price)
  const sign = (order.side === buy) === (order.slot % 2 === 0) ? 1 : -1
  const legs = parts.map((part) => restingLeg(pit, order, part, sign))
  const [size, cash] = [total, parts.reduce((sum, part) => sum + part.cash, 0)]
  const fee = 10 * Math.floor((market.feeRate * cash * (size - cash)) / size / 10 + 1e-6)
  const trader = personOf(floor, order.member).index
  const taken: Leg = { trader, outcome: order.slot % 2, side: order.side, size, cash, fee }
  give(floor, order.member, order.slot, order.side === buy ? size : -size)
  if (order.side === buy) floor.holders.push(order.member * floor.nSlots + order.slot)
  const { chance, winner } = order.knowledge
  const expected = winner === null ? chance : 1 - winner
  const at = { ts_s: floor.now_s, market: market.index, fair: mid, expected }
  writeMatch(floor.tape, { ...at, tx: floor.tape.nextTx++ }, [taken, ...legs])
  if (order.to === undefined) prices.press(index, sign * Math.min(0.02, impact * Math.sqrt(cash / 1e8)))
  noteTruth(pit, order)
}

function noteTruth({ floor, prices, truth }: Pit, { slot, knowledge, lift = 0 }: RoleOrder): void {
  const { startsAt_s, closedAt_s } = floor.plan.draft
  const isBefore = startsAt_s !== null && floor.now_s < startsAt_s
  truth.start[floor.tape.ts_s.length - 1] = isBefore
    ? prices.expected(slot >> 1, knowledge, startsAt_s) + lift
    : Number.NaN
  const close_s = Math.max(floor.now_s, Math.min(floor.now_s + day_s, closedAt_s))
  truth.markout[floor.tape.ts_s.length - 1] = prices.expected(slot >> 1, knowledge, close_s)
}

/** The better or worse side of the book; rounding to the grid is random, so that it favours no side. */
function priceOf({ floor, prices }: Pit, { slot, side, to }: RoleOrder, tick: number, bookHalf: number): number {
  const mid = prices.mid(slot >> 1)
  const token = dollar * (slot % 2 === 0 ? mid : 1 - mid)
  const half = to === undefined ? bookHalf * floor.random.between(0.6, 1.4) : 0
  const target = side === buy ? token + half : token - half
  // The venue makes its grid finer near 0 and 1.
  const grid = target < 40_000 || target > 960_000 ? 1000 : tick
  const low = Math.floor(target / grid) * grid
  return onGrid(floor.random.chance((target - low) / grid) ? low + grid : low, grid)
}

/** Most orders meet one resting order, some two or three. */
function cut({ floor: { random } }: Pit, total: number, price: number): Part[] {
  const draw = random.next()
  const n = total < 20 * dollar ? 1 : draw < 0.62 ? 1 : draw < 0.92 ? 2 : 3
  const parts: Part[] = []
  let left = total
  for (let i = 0; i < n; i++) {
    const size = i === n - 1 ? left : Math.floor(((left / (n - i)) * random.between(0.5, 1.5)) / 10_000) * 10_000
    left -= size
    parts.push({ price, size, cash: Math.max(1, Math.round(size * (price / dollar))) })
  }
  return parts
}

/** The maker's row. It sells shares that it holds; without them it buys the other side. */
function restingLeg(pit: Pit, order: RoleOrder, part: Part, sign: number): Leg {
  const { floor } = pit
  const other = order.slot ^ 1
  const isBuy = order.side === buy
  const stocked = isBuy ? order.slot : other
  const maker = order.to ?? pickMaker(pit, order, sign)
  if (heldOf(floor, maker, stocked) >= part.size) return rest(floor, maker, stocked, sell, part, order.slot)
  return rest(floor, maker, isBuy ? other : order.slot, buy, part, order.slot)
}

/**
 * Who rests the order that is taken. Those who judge prices themselves have withdrawn theirs when somebody knows more,
 * those who post and forget have not.
 */
function pickMaker(pit: Pit, order: RoleOrder, sign: number): number {
  const { floor, resting, prices } = pit
  const { random } = floor
  const market = order.slot >> 1
  const isInformed = order.knowledge.winner !== null || order.knowledge.until_s > floor.now_s - lag_s
  const worth = prices.fairPrice(market, prices.publicChance(market, floor.now_s), floor.now_s)
  const gain = sign * (prices.mid(market) - worth)
  for (let attempt = 0; attempt < 40; attempt++) {
    const draw = random.next() * (isInformed ? 0.77 : 1)
    const kind = draw < 0.45 ? 'market_maker' : draw < 0.7 ? 'poster' : draw < 0.77 ? 'other' : 'patient'
    const list = resting[kind]
    if (list.length === 0) continue
    const maker = random.pick(list)
    if (maker === order.member) continue
    const lean = leanOf(pit, maker, market)
    if (kind === 'patient' && gain < 0.008 + playerOf(pit, maker).blur * Math.abs(random.normal())) continue
    if (kind === 'market_maker' && lean !== sign && random.chance(0.55)) continue
    if (kind === 'poster' && lean !== sign && random.chance(0.75)) continue
    return maker
  }
  return random.pick(resting.market_maker)
}

/** The side of a market that a maker would rather have. */
const leanOf = ({ floor }: Pit, maker: number, market: number): number =>
  ((floor.members[maker] ?? 0) * 7 + floor.plan.event.index * 13 + market * 5) % 2 === 0 ? 1 : -1
