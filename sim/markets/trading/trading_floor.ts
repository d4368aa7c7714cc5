import type { Plan } from '#sim/markets/calendar.ts'
import { day_s } from '#sim/markets/event_templates.ts'
import type { Hardship } from '#sim/markets/hardship.ts'
import type { Person } from '#sim/markets/traders.ts'
import type { Random } from '#sim/random.ts'

import { createBelief, type Belief } from './belief.ts'
import { createHardLearning, type HardLearning, type Note } from './hard_learning.ts'
import { informationOf, movedByNews, payoutsOf, winnerOf } from './information.ts'
import type { Tape } from './tape.ts'

/**
 * The floor on which one event is traded: members, holdings and fair prices.
 *
 * Members and markets are numbered from 0 within the floor. A slot is a token: 2 x market + outcome.
 */
export type TradingFloor = {
  plan: Plan
  random: Random
  tape: Tape
  people: Person[]
  hardship: Hardship | null
  /** The index of each member among the traders of the world. */
  members: number[]
  /** The cumulative weights of the members for drawing takers. */
  weights: Float64Array
  makers: number[]
  arbitrageurs: number[]
  nSlots: number
  /** Shares in millionths: member x nSlots + slot. */
  held: Float64Array
  /** The members that ever held a market: member x nMarkets + market. */
  touched: Uint8Array
  /** Keys of `held` that may be sold later; checked when drawn. */
  holders: number[]
  /** Fair price of outcome 0 of each market, now. */
  fair: Float64Array
  /** Net shares of outcome 0 bought by takers; in a hard world twice their cash. */
  imbalance: Float64Array
  now_s: number
  learnUntil: (ts_s: number) => void
  /** The fair price of outcome 0 some hours ahead, known to informed traders; undefined where nobody knows it. */
  foresee: (market: number) => number | undefined
  /** Moves the price of outcome 0 for good; nothing in an easy world. */
  press: (market: number, by: number) => void
  /** The fair price of outcome 0 a day earlier, if the event is that old. */
  dayAgo: (market: number) => number | undefined
  pending: { due_s: number; run: () => void }[]
}

export type Participants = Pick<
  TradingFloor,
  'plan' | 'random' | 'tape' | 'people' | 'hardship' | 'members' | 'makers' | 'arbitrageurs'
>

/** An empty floor at the beginning of its event. */
export function openFloor(participants: Participants): TradingFloor {
  const { plan, members, people } = participants
  const nSlots = 2 * plan.markets.length
  const fair = new Float64Array(plan.markets.length)
  const memory = createMemory(fair)
  const hard = hardLearningOf(participants, fair)
  const learn = hard === null ? createLearning(plan, participants.random, fair) : hard.learn
  let total = 0
  const floor: TradingFloor = {
    ...participants,
    weights: Float64Array.from(members, (person) => (total += people[person]?.rate ?? 0)),
    nSlots,
    held: new Float64Array(members.length * nSlots),
    touched: new Uint8Array(members.length * plan.markets.length),
    holders: [],
    fair,
    imbalance: new Float64Array(plan.markets.length),
    now_s: plan.draft.createdAt_s,
    learnUntil: (ts_s) => {
      learn(floor.now_s, ts_s)
      floor.now_s = ts_s
      memory.note(ts_s)
    },
    foresee: (market) => hard?.foresee(market),
    press: (market, by) => hard?.press(market, by),
    dayAgo: (market) => memory.dayAgo(market),
    pending: [],
  }
  memory.note(floor.now_s)
  return floor
}

function hardLearningOf(
  { plan, random, hardship, tape: { prices } }: Participants,
  fair: Float64Array,
): HardLearning | null {
  if (hardship === null) return null
  const note: Note = (market, ts_s, { price, belief }) => {
    prices.market.push(plan.markets[market]?.index ?? -1)
    prices.ts_s.push(ts_s)
    prices.fair.push(price)
    prices.believed.push(belief)
  }
  return createHardLearning(plan, fair, { random, hardship, note })
}

/** Advances the floor's time and runs the due actions. */
export function advance(floor: TradingFloor, ts_s: number): void {
  for (;;) {
    const next = floor.pending[0]
    if (next === undefined || next.due_s > ts_s) break
    floor.pending.shift()
    floor.learnUntil(Math.max(next.due_s, floor.now_s))
    next.run()
  }
  floor.learnUntil(Math.max(ts_s, floor.now_s))
}

/** Schedules an action, which runs at the floor's time. */
export function later(floor: TradingFloor, due_s: number, run: () => void): void {
  let place = floor.pending.length
  while (place > 0 && (floor.pending[place - 1]?.due_s ?? 0) > due_s) place--
  floor.pending.splice(place, 0, { due_s, run })
}

export const personOf = (floor: TradingFloor, member: number): Person => {
  const person = floor.people[floor.members[member] ?? -1]
  if (person === undefined) throw new RangeError(`floor: no member ${member}; expected a member of the event`)
  return person
}

export const heldOf = (floor: TradingFloor, member: number, slot: number): number =>
  floor.held[member * floor.nSlots + slot] ?? 0

export function give(floor: TradingFloor, member: number, slot: number, size: number): void {
  const key = member * floor.nSlots + slot
  floor.held[key] = (floor.held[key] ?? 0) + size
  floor.touched[member * floor.plan.markets.length + (slot >> 1)] = 1
}

/** The current fair price of a token. */
export const fairOf = (floor: TradingFloor, slot: number): number => {
  const first = floor.fair[slot >> 1] ?? 0
  return slot % 2 === 0 ? first : 1 - first
}

/** Beliefs about the event: one over all candidates if exactly one wins, else one for each market. */
function createLearning(plan: Plan, random: Random, fair: Float64Array): (from_s: number, to_s: number) => void {
  const { draft, markets } = plan
  const beliefs: Belief[] = draft.shape.isNegRisk
    ? [createBelief(draft.questions.map((question) => question.prior), random)] // prettier-ignore
    : draft.questions.map((question) => createBelief([question.prior, 1 - question.prior], random))
  const informationAt = informationOf(plan)
  const halfKnown_s = draft.startsAt_s ?? draft.closedAt_s - 0.1 * (draft.closedAt_s - draft.createdAt_s)

  for (const [i, market] of markets.entries()) {
    market.result = draft.half ?? (winnerOf(beliefs, i) ? 'first' : 'second')
    market.payouts = payoutsOf(market.result)
  }
  price(draft.createdAt_s)
  for (const [i, market] of markets.entries()) market.openingPrice = fair[i] ?? 0

  return (from_s, to_s) => {
    const start_s = draft.startsAt_s
    if (start_s !== null && from_s < start_s && to_s >= start_s) {
      step(from_s, start_s)
      price(start_s - 1)
      for (const [i, market] of markets.entries()) market.closePrice = fair[i] ?? 0
      step(start_s, to_s)
    } else step(from_s, to_s)
    price(to_s)
  }

  function step(from_s: number, to_s: number): void {
    const information = informationAt(to_s) - informationAt(from_s)
    for (const belief of beliefs) belief.learn(information)
  }

  function price(ts_s: number): void {
    const v = draft.shape.halfShare
    for (let i = 0; i < fair.length; i++) {
      const believed = (draft.shape.isNegRisk ? beliefs[0]?.chances[i] : beliefs[i]?.chances[0]) ?? 0
      const chance = movedByNews(draft, believed, ts_s)
      if (ts_s < halfKnown_s) fair[i] = (1 - v) * chance + v / 2
      else fair[i] = draft.half === null ? chance : 0.5
    }
  }
}

/** Stores the fair prices of a day. */
function createMemory(fair: Float64Array): { note: (ts_s: number) => void; dayAgo: TradingFloor['dayAgo'] } {
  const times: number[] = []
  const prices: number[] = []
  let place = 0
  return {
    note: (ts_s) => {
      times.push(ts_s)
      for (const price of fair) prices.push(price)
      while ((times[place + 1] ?? Infinity) <= ts_s - day_s) place++
    },
    dayAgo: (market) => {
      const last = times[times.length - 1] ?? 0
      return (times[place] ?? Infinity) <= last - day_s ? prices[place * fair.length + market] : undefined
    },
  }
}
