import { day_s, endsAt_s, opensAt_s } from '#sim/markets/event_templates.ts'
import { createPerson, type Person } from '#sim/markets/traders.ts'
import type { Event } from '#sim/markets/types.ts'
import { createRandom, type Random } from '#sim/random.ts'

import { copied, habits, strategies, type Strategy } from './habits.ts'

/** A trader of a world of roles. */
export type Player = Person & {
  strategy: Strategy
  /** What it does outside of its focus: most stay out, some wallets have a second strategy there. */
  second: Strategy | null
  /** Where it acts by its strategy: in one category, in one kind of event, or everywhere. */
  focus: { category: string | null; isScheduled: boolean | null }
  /** The error of its own judgement of a price. */
  blur: number
  /** The leader whose orders it repeats, and the seconds after which it does. */
  leader: number | null
  delay_s: number
  /** Wallets that act as one have the same number. */
  group: number | null
  /** It acts within these instants: most always, some for a few days, some until they stop. */
  from_s: number
  until_s: number
}

const categories = ['Sports', 'Crypto', 'Politics', 'Culture'] as const

/** The traders of a world, in random order, with those who act as one. */
export function createPlayers(seed: number, scale: number): Player[] {
  const random = createRandom(seed, 31)
  const cast = strategies.flatMap((strategy) =>
    Array.from({ length: Math.max(3, Math.round(habits[strategy].share * 1.7 * scale)) }, () => strategy),
  )
  shuffle(cast, random)
  const players = cast.map((strategy, index) => createPlayer(seed, index, strategy, random))
  appointLeaders(players, random)
  joinGroups(players, random)
  return players
}

function createPlayer(seed: number, index: number, strategy: Strategy, random: Random): Player {
  const habit = habits[strategy]
  const [least, rich] = habit.bet_usd
  const person = createPerson(seed, index, habit.archetype, random)
  // A power law: one trader in a hundred has the largest stake.
  const exponent = Math.log(rich / least) / Math.log(100)
  const isTaker = habit.role === 'taker' && strategy !== 'copier'
  return {
    ...person,
    edge: 0,
    isConverter: strategy === 'market_maker' && random.chance(0.3),
    bet_usd: Math.min(20 * rich, least * random.between(0.001, 1) ** -exponent),
    rate: isTaker ? habit.rate * Math.min(20, random.between(0.01, 1) ** -0.4) * 0.7 : 0,
    attends: habit.attends,
    quota: 0,
    strategy,
    second: secondOf(strategy, random),
    focus: focusOf(habit.isSkilled, random),
    blur: random.between(0.003, 0.015),
    leader: null,
    delay_s: 0,
    group: null,
    ...timeOf(strategy, random),
  }
}

/** Half of the skilled wallets gamble outside of their focus, some make markets there. */
function secondOf(strategy: Strategy, random: Random): Strategy | null {
  if (!habits[strategy].isSkilled || habits[strategy].role === 'maker') return null
  const draw = random.next()
  if (draw < 0.5) return 'gambler'
  return draw < 0.56 ? 'market_maker' : null
}

function focusOf(isSkilled: boolean, random: Random): Player['focus'] {
  const draw = isSkilled ? random.next() : 1
  if (draw < 0.35) return { category: random.pick(categories), isScheduled: null }
  if (draw < 0.65) return { category: null, isScheduled: random.chance(0.5) }
  return { category: null, isScheduled: null }
}

function timeOf(strategy: Strategy, random: Random): { from_s: number; until_s: number } {
  if (strategy === 'burst') {
    const from_s = opensAt_s + random.between(2, 110) * day_s
    return { from_s, until_s: from_s + random.between(1, 6) * day_s }
  }
  return { from_s: 0, until_s: random.chance(0.2) ? opensAt_s + random.between(25, 110) * day_s : endsAt_s + 1 }
}

/** Whether a player acts by its strategy in an event. */
export const isInFocus = ({ focus }: Player, event: Pick<Event, 'category' | 'startsAt_s'>): boolean =>
  (focus.category === null || focus.category === event.category) &&
  (focus.isScheduled === null || focus.isScheduled === (event.startsAt_s !== null))

/** What a player does in an event, or null if it stays out. */
export const strategyIn = (player: Player, event: Pick<Event, 'category' | 'startsAt_s'>): Strategy | null =>
  isInFocus(player, event) ? player.strategy : player.second

/** Each copier repeats the orders of one skilled taker, seconds to hours later. */
function appointLeaders(players: Player[], random: Random): void {
  const leaders = players.filter(({ strategy }) => copied.includes(strategy))
  for (const player of players.filter(({ strategy }) => strategy === 'copier')) {
    player.leader = random.pick(leaders).index
    player.delay_s = Math.round(20 * Math.exp(random.between(0, Math.log(600))))
  }
}

/** Clusters of five wallets with one owner, and rings of two or three who trade with each other. */
function joinGroups(players: Player[], random: Random): void {
  let group = 0
  const withStrategy = (strategy: Strategy): Player[] => players.filter((player) => player.strategy === strategy)
  const owners = [...withStrategy('early').slice(0, 1), ...withStrategy('gambler').slice(0, 3)]
  const spare = withStrategy('gambler').slice(10)
  for (const owner of owners) {
    owner.group = group
    for (const wallet of spare.splice(0, 4)) {
      Object.assign(wallet, { strategy: 'copier', group, leader: owner.index, rate: 0, attends: [1, 1] })
      Object.assign(wallet, { delay_s: 5 + random.below(90), from_s: owner.from_s, until_s: owner.until_s })
    }
    group++
  }
  const rings = [withStrategy('washer'), withStrategy('pusher')]
  for (const ring of rings)
    for (let start = 0; start < ring.length; group++) {
      const size = random.chance(0.3) ? 3 : 2
      for (const wallet of ring.slice(start, start + size)) wallet.group = group
      start += size
    }
}

function shuffle<T>(list: T[], random: Random): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const kept = list[i] as T
    list[i] = list[j] as T
    list[j] = kept
  }
}
