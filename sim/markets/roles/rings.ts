import { buy } from '#sim/markets/trading/orders.ts'
import { later } from '#sim/markets/trading/trading_floor.ts'

import { impact, publicKnowledge, trade } from './exchange.ts'
import { playerOf, type Pit } from './pit.ts'

const prints = { wash: 6, push: 5, push_usd: 400 } as const

/** Plans what the rings among the members do in an event with a start. */
export function planRings(pit: Pit): void {
  const { startsAt_s, createdAt_s } = pit.floor.plan.draft
  if (startsAt_s === null || startsAt_s - 10_800 < createdAt_s) return
  for (const ring of ringsOf(pit)) {
    if (playerOf(pit, ring[0] ?? 0).strategy === 'washer') planWashes(pit, ring, startsAt_s)
    else planPush(pit, ring, startsAt_s)
  }
}

/** Wallets of a ring trade with each other, one after the other, in the hour before the start. */
function planWashes(pit: Pit, ring: readonly number[], startsAt_s: number): void {
  const { floor } = pit
  const market = floor.random.below(floor.plan.markets.length)
  for (let print = 0; print < prints.wash; print++) {
    const [member, to] = [ring[print % ring.length] ?? 0, ring[(print + 1) % ring.length] ?? 0]
    const usd = 3 * playerOf(pit, member).bet_usd
    later(floor, startsAt_s - 60 - floor.random.below(3000), () =>
      trade(pit, {
        member,
        to,
        slot: 2 * market + (print % 2),
        side: buy,
        usd,
        knowledge: publicKnowledge(pit, market),
      }),
    )
  }
}

/** One wallet buys early; its partners lift the price in the minutes before the start. */
function planPush(pit: Pit, ring: readonly number[], startsAt_s: number): void {
  const { floor } = pit
  const slot = floor.random.below(floor.nSlots)
  const [member, ...partners] = ring
  if (member === undefined || floor.random.chance(0.4)) return
  const by = partners.length * prints.push * impact * Math.sqrt(prints.push_usd / 100)
  const lift = slot % 2 === 0 ? by : -by
  later(floor, startsAt_s - 2000 - floor.random.below(6000), () => {
    const knowledge = publicKnowledge(pit, slot >> 1)
    const price = pit.prices.mid(slot >> 1)
    if (price < 0.15 || price > 0.85) return
    trade(pit, { member, slot, side: buy, usd: 3 * playerOf(pit, member).bet_usd, knowledge, lift })
    for (const partner of partners)
      for (let print = 0; print < prints.push; print++)
        later(floor, startsAt_s - 30 - floor.random.below(700), () =>
          trade(pit, {
            member: partner,
            slot,
            side: buy,
            usd: prints.push_usd,
            knowledge: publicKnowledge(pit, slot >> 1),
          }),
        )
  })
}

/** The wallets of one ring among the members, of rings with two or more. */
function ringsOf(pit: Pit): number[][] {
  const rings = new Map<number, number[]>()
  for (const member of pit.floor.members.keys()) {
    const { strategy, group } = playerOf(pit, member)
    if (group === null || (strategy !== 'washer' && strategy !== 'pusher')) continue
    rings.set(group, [...(rings.get(group) ?? []), member])
  }
  return [...rings.values()].filter((ring) => ring.length > 1)
}
