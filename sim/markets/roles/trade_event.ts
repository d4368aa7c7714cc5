import type { Plan } from '#sim/markets/calendar.ts'
import { endsAt_s } from '#sim/markets/event_templates.ts'
import type { Hardship } from '#sim/markets/hardship.ts'
import { settleEvent } from '#sim/markets/trading/after_resolution.ts'
import type { Tape } from '#sim/markets/trading/tape.ts'
import { drawTimes } from '#sim/markets/trading/trading.ts'
import { advance, type TradingFloor } from '#sim/markets/trading/trading_floor.ts'
import type { Random } from '#sim/random.ts'

import type { Climate } from './climate.ts'
import { habits, type Strategy } from './habits.ts'
import { stockMakers, tidyMakers } from './inventory.ts'
import { isInFocus, strategyIn, type Player } from './people.ts'
import type { Pit, TruthTape } from './pit.ts'
import { createEventPrices, type EventPrices } from './prices.ts'
import { planRings } from './rings.ts'
import { takeTurn } from './turns.ts'

export type Stage = {
  seed: number
  climate: Climate
  plan: Plan
  players: Player[]
  tape: Tape
  truth: TruthTape
  hardship: Pick<Hardship, 'shock'>
  random: Random
}

/** The trading of one event of a world of roles, from the first order to the last redemption. */
export function tradeEvent(stage: Stage, n_matches: number): void {
  const pit = openPit(stage)
  const { floor } = pit
  const { draft } = stage.plan
  const times = drawTimes(draft, n_matches, stage.random)
  if (times.length > 0) {
    advance(floor, times[0] ?? draft.createdAt_s)
    stockMakers(pit)
    planRings(pit)
    for (const [i, ts_s] of times.entries()) {
      advance(floor, ts_s)
      takeTurn(pit)
      if (i % 80 === 79) tidyMakers(pit)
    }
  }
  advance(floor, Math.min(draft.closedAt_s, endsAt_s))
  floor.pending.length = 0
  settleEvent(floor)
}

function openPit(stage: Stage): Pit {
  const { seed, climate, plan, players, tape, truth, hardship, random } = stage
  const cast = castOf(plan, players, random)
  const strategies = cast.map(({ strategy }) => strategy)
  const prices = createEventPrices(plan, { seed, climate, hardship, random, prices: tape.prices })
  const floor = floorOf(stage, cast, prices)
  const members = (wanted: Strategy): number[] =>
    strategies.flatMap((strategy, member) => (strategy === wanted ? [member] : []))
  const others = cast.flatMap(({ player, strategy }, member) =>
    player.rate > 0 && player.index % 5 === 0 && !habits[strategy].isSkilled ? [member] : [],
  )
  return {
    floor,
    prices,
    climate,
    strategies,
    resting: {
      market_maker: members('market_maker'),
      poster: members('poster'),
      patient: members('patient'),
      other: others,
    },
    followers: followersOf(cast),
    truth,
  }
}

type Cast = { player: Player; strategy: Strategy }

/** Who takes part: those who attend, three market makers at least, and the wallets of whoever attends. */
function castOf({ event, draft }: Plan, players: readonly Player[], random: Random): Cast[] {
  const isOpen = draft.startsAt_s === null ? 1 : 0
  const cast: Cast[] = []
  const attending = new Set<number>()
  for (const player of players) {
    const strategy = strategyIn(player, event)
    // A wallet does its second thing seldom.
    const chance = player.attends[isOpen] * (isInFocus(player, event) ? 1 : 0.4)
    const isFollowing = player.leader !== null && !attending.has(player.leader) && player.leader < player.index
    if (strategy === null || isFollowing || !random.chance(chance)) continue
    attending.add(player.index)
    cast.push({ player, strategy })
  }
  const makers = players.filter(({ strategy }) => strategy === 'market_maker')
  while (cast.filter(({ strategy }) => strategy === 'market_maker').length < 3) {
    const player = random.pick(makers)
    if (attending.has(player.index)) continue
    attending.add(player.index)
    cast.push({ player, strategy: 'market_maker' })
  }
  return cast
}

function followersOf(cast: readonly Cast[]): Map<number, number[]> {
  const memberOf = new Map(cast.map(({ player }, member) => [player.index, member]))
  const followers = new Map<number, number[]>()
  for (const [member, { player }] of cast.entries()) {
    const leader = memberOf.get(player.leader ?? -1)
    if (leader !== undefined) followers.set(leader, [...(followers.get(leader) ?? []), member])
  }
  return followers
}

/** The floor of the simulation's other worlds, with the prices of this one. */
function floorOf({ plan, players, tape, climate, random }: Stage, cast: Cast[], prices: EventPrices): TradingFloor {
  const nSlots = 2 * plan.markets.length
  let total = 0
  const rateOf = ({ player, strategy }: Cast): number => {
    if (habits[strategy].role === 'maker') return 0
    // Who waits for an occasion looks often; its second strategy always finds one.
    if (strategy !== player.strategy) return 0.3 * player.rate
    return player.rate * (habits[strategy].isSkilled ? climate.informed : 1)
  }
  const floor: TradingFloor = {
    plan,
    random,
    tape,
    people: players,
    hardship: null,
    members: cast.map(({ player }) => player.index),
    makers: cast.flatMap(({ strategy }, member) => (strategy === 'market_maker' ? [member] : [])),
    arbitrageurs: [],
    weights: Float64Array.from(cast, (each) => (total += rateOf(each))),
    nSlots,
    held: new Float64Array(cast.length * nSlots),
    touched: new Uint8Array(cast.length * plan.markets.length),
    holders: [],
    fair: Float64Array.from(plan.markets, (_, market) => prices.mid(market)),
    imbalance: new Float64Array(plan.markets.length),
    now_s: plan.draft.createdAt_s,
    learnUntil: (to_s) => {
      prices.learn(to_s)
      floor.now_s = to_s
      for (const market of plan.markets.keys()) floor.fair[market] = prices.mid(market)
    },
    foresee: () => undefined,
    press: () => undefined,
    dayAgo: prices.dayAgo,
    pending: [],
  }
  return floor
}
