import { endsAt_s, hour_s } from '#sim/markets/event_templates.ts'

import { execute, sell } from './orders.ts'
import { advance, give, heldOf, later, personOf, type TradingFloor } from './trading_floor.ts'

/** After the last order, some traders sell won shares slightly below the payout, some redeem, and many never do. */
export function settleEvent(floor: TradingFloor): void {
  const { resolvedAt_s } = floor.plan.draft
  if (resolvedAt_s > endsAt_s) return
  advance(floor, resolvedAt_s)
  for (const [market, described] of floor.plan.markets.entries()) {
    if (described.payouts === null) continue
    if (described.result === 'first' || described.result === 'second') sellWinners(floor, market)
    for (let member = 0; member < floor.members.length; member++) redeemSometime(floor, member, market)
  }
  advance(floor, endsAt_s)
}

/**
 * Sales after resolution, to traders without a position in the market. Their gain is small and certain, and they
 * redeem.
 */
function sellWinners(floor: TradingFloor, market: number): void {
  const { random, plan } = floor
  const slot = 2 * market + (plan.markets[market]?.result === 'first' ? 0 : 1)
  const holders = floor.members.map((_, member) => member).filter((member) => heldOf(floor, member, slot) >= 1_000_000)
  const strangers = floor.members
    .map((_, member) => member)
    .filter((member) => floor.touched[member * plan.markets.length + market] === 0 && personOf(floor, member).rate > 0)
  for (let i = 0; i < Math.min(3, holders.length); i++) {
    const seller = random.pick(holders)
    const buyer = strangers.pop()
    if (buyer === undefined || personOf(floor, seller).archetype === 'unproven') continue
    later(floor, floor.now_s + 30 + random.below(3000), () => sellAfter(floor, seller, buyer, slot))
  }
}

function sellAfter(floor: TradingFloor, seller: number, buyer: number, slot: number): void {
  const held = heldOf(floor, seller, slot)
  const size = floor.random.chance(0.5) ? held : Math.floor(held / 2)
  if (size < 10_000) return
  const price = floor.random.pick([999_000, 998_000, 995_000])
  execute(floor, { member: seller, slot, side: sell, price, size, to: buyer })
  later(floor, floor.now_s + 60 + floor.random.below(2 * hour_s), () => redeem(floor, buyer, slot >> 1))
}

function redeemSometime(floor: TradingFloor, member: number, market: number): void {
  const { random } = floor
  const first = heldOf(floor, member, 2 * market)
  const second = heldOf(floor, member, 2 * market + 1)
  if (first === 0 && second === 0) return
  const payouts = floor.plan.markets[market]?.payouts ?? [0, 0]
  const isWorth = first * payouts[0] + second * payouts[1] > 0
  const isMaker = personOf(floor, member).archetype === 'market_maker'
  if (!random.chance(isMaker ? 0.95 : isWorth ? 0.62 : 0.18)) return
  const wait = 3600 + Math.round(40 * hour_s * random.next() * random.next() * random.next())
  later(floor, floor.now_s + wait, () => redeem(floor, member, market))
}

/** Redeems all held shares of a market at its payout; losing shares pay 0. */
function redeem(floor: TradingFloor, member: number, market: number): void {
  const described = floor.plan.markets[market]
  const first = heldOf(floor, member, 2 * market)
  const second = heldOf(floor, member, 2 * market + 1)
  if (described === undefined || described.payouts === null || (first === 0 && second === 0)) return
  const cash = worth(first, described.payouts[0]) + worth(second, described.payouts[1])
  give(floor, member, 2 * market, -first)
  give(floor, member, 2 * market + 1, -second)
  const trader = personOf(floor, member).index
  const base = { ts_s: floor.now_s, tx: floor.tape.nextTx++, trader, event: -1, indexSet: 0 }
  floor.tape.activity.push({ ...base, kind: 'REDEEM', market: described.index, size: cash, cash })
}

/** The payout of shares at 0, 0.5 or 1; half a millionth rounds to even. */
function worth(size: number, payout: number): number {
  if (payout !== 500_000) return payout === 0 ? 0 : size
  const half = Math.floor(size / 2)
  return size % 2 === 0 ? half : half + (half % 2)
}
