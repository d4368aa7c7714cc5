import { endsAt_s, hour_s } from '#sim/markets/event_templates.ts'

import { execute, sell } from './orders.ts'
import { advance, give, heldOf, later, personOf, type Pit } from './trading_floor.ts'

/** After the last order: some sell what is won a little below its payout, some redeem, many never do. */
export function settleEvent(pit: Pit): void {
  const { resolvedAt_s } = pit.plan.draft
  if (resolvedAt_s > endsAt_s) return
  advance(pit, resolvedAt_s)
  for (const [market, described] of pit.plan.markets.entries()) {
    if (described.payouts === null) continue
    if (described.result === 'first' || described.result === 'second') sellWinners(pit, market)
    for (let member = 0; member < pit.members.length; member++) redeemSometime(pit, member, market)
  }
  advance(pit, endsAt_s)
}

/** Sales after resolution, to people who never held the market: their gain is sure and small, and they redeem it. */
function sellWinners(pit: Pit, market: number): void {
  const { random, plan } = pit
  const slot = 2 * market + (plan.markets[market]?.result === 'first' ? 0 : 1)
  const holders = pit.members.map((_, member) => member).filter((member) => heldOf(pit, member, slot) >= 1_000_000)
  const strangers = pit.members
    .map((_, member) => member)
    .filter((member) => pit.touched[member * plan.markets.length + market] === 0 && personOf(pit, member).rate > 0)
  for (let i = 0; i < Math.min(3, holders.length); i++) {
    const seller = random.pick(holders)
    const buyer = strangers.pop()
    if (buyer === undefined || personOf(pit, seller).archetype === 'unproven') continue
    later(pit, pit.now_s + 30 + random.below(3000), () => sellAfter(pit, seller, buyer, slot))
  }
}

function sellAfter(pit: Pit, seller: number, buyer: number, slot: number): void {
  const held = heldOf(pit, seller, slot)
  const size = pit.random.chance(0.5) ? held : Math.floor(held / 2)
  if (size < 10_000) return
  const price = pit.random.pick([999_000, 998_000, 995_000])
  execute(pit, { member: seller, slot, side: sell, price, size, to: buyer })
  later(pit, pit.now_s + 60 + pit.random.below(2 * hour_s), () => redeem(pit, buyer, slot >> 1))
}

function redeemSometime(pit: Pit, member: number, market: number): void {
  const { random } = pit
  const first = heldOf(pit, member, 2 * market)
  const second = heldOf(pit, member, 2 * market + 1)
  if (first === 0 && second === 0) return
  const payouts = pit.plan.markets[market]?.payouts ?? [0, 0]
  const isWorth = first * payouts[0] + second * payouts[1] > 0
  const isMaker = personOf(pit, member).archetype === 'market_maker'
  if (!random.chance(isMaker ? 0.95 : isWorth ? 0.62 : 0.18)) return
  const wait = 3600 + Math.round(40 * hour_s * random.next() * random.next() * random.next())
  later(pit, pit.now_s + wait, () => redeem(pit, member, market))
}

/** Hands in whatever is held of a market for what it pays; losers pay 0. */
function redeem(pit: Pit, member: number, market: number): void {
  const described = pit.plan.markets[market]
  const first = heldOf(pit, member, 2 * market)
  const second = heldOf(pit, member, 2 * market + 1)
  if (described === undefined || described.payouts === null || (first === 0 && second === 0)) return
  const cash = worth(first, described.payouts[0]) + worth(second, described.payouts[1])
  give(pit, member, 2 * market, -first)
  give(pit, member, 2 * market + 1, -second)
  const trader = personOf(pit, member).index
  const base = { ts_s: pit.now_s, tx: pit.tape.nextTx++, trader, event: -1, indexSet: 0 }
  pit.tape.activity.push({ ...base, kind: 'REDEEM', market: described.index, size: cash, cash })
}

/** Shares at a payout of 0, 0.5 or 1; half a millionth goes to the even side. */
function worth(size: number, payout: number): number {
  if (payout !== 500_000) return payout === 0 ? 0 : size
  const half = Math.floor(size / 2)
  return size % 2 === 0 ? half : half + (half % 2)
}
