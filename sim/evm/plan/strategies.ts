import type { Actor, EvmArchetype, PlannedToken, Role, Route } from '#sim/evm/types.ts'
import { createRandom, type Random } from '#sim/random.ts'

import type { Session } from './sessions.ts'
import { addTrip, type Diary } from './trips.ts'

export type Setting = {
  seed: number
  start_s: number
  now_s: number
  tokens: readonly PlannedToken[]
  /** By token, in the order of time. */
  sessions: readonly (readonly Session[])[]
}

const hour_s = 3_600
const day_s = 86_400
/** A wallet trades so long after the begin of a session: the price is settled by then. */
const settled_s = [96, 264] as const

/** The holding time of a wallet, its number of tokens, and the days before now on which it sells. */
type Habit = { held_s: readonly [number, number]; n_trips: number; sells_days: readonly [number, number] }

const habits: Partial<Record<Role, Habit>> = {
  arbitrageur: { held_s: [day_s, 5 * day_s], n_trips: 7, sells_days: [1, 80] },
  scalper: { held_s: [600, 3_000], n_trips: 9, sells_days: [1, 130] },
  swing_trader: { held_s: [2 * hour_s, 6 * day_s], n_trips: 11, sells_days: [1, 130] },
  diamond_hands: { held_s: [93 * day_s, 130 * day_s], n_trips: 8, sells_days: [1, 50] },
  dormant: { held_s: [8 * day_s, 20 * day_s], n_trips: 8, sells_days: [96, 138] },
  generalist: { held_s: [9 * day_s, 40 * day_s], n_trips: 9, sells_days: [1, 80] },
  accumulator: { held_s: [12 * day_s, 55 * day_s], n_trips: 6, sells_days: [1, 25] },
}

/** Adds the trades of the wallets that trade by habit. Their results are what the prices make of them. */
export function addHabits(diary: Diary, actors: readonly Actor[], setting: Setting): void {
  for (const actor of actors) {
    const habit = habits[actor.role]
    if (habit === undefined || hasForesight(actors, actor)) continue
    const random = createRandom(setting.seed, 21, actor.index)
    for (const session of pickSessions(random, setting, habit)) {
      const held_s = random.between(...habit.held_s)
      const sold_s = session.at_s + random.between(...settled_s)
      const bought_s = Math.max(setting.start_s + day_s / 2, sold_s - held_s)
      const isAccumulator = actor.role === 'accumulator'
      const trip = { actor: actor.index, token: session.token, bought_s, sold_s }
      const [usd, share] = [random.between(250, 900), isAccumulator ? random.between(0.08, 0.14) : 1]
      addTrip(diary, { ...trip, ...paymentOf(random, actor, setting.tokens[session.token]), usd, share })
      if (isAccumulator) addPurchases(diary, random, trip, setting.now_s)
    }
  }
}

/** An accumulator buys the token again and again. */
function addPurchases(
  diary: Diary,
  random: Random,
  { actor, token, bought_s }: { actor: number; token: number; bought_s: number },
  now_s: number,
): void {
  for (let n = 0; n < 2; n++) {
    const at_s = random.between(bought_s + hour_s, now_s - hour_s)
    diary.add(at_s, { kind: 'swap', actor, from: 'dollar', to: token, route: 'v3', usd: random.between(250, 900) })
  }
}

/** Every third wallet pays with the native coin where a pool of V4 holds it; the others pay with dollars. */
function paymentOf(random: Random, { index, isAccount }: Actor, token: PlannedToken | undefined) {
  if (index % 3 === 0 && !isAccount) {
    const route: Route = token?.hasV4 === true ? 'v4' : 'v2'
    return { quote: 'native', routes: [route, route] } as const
  }
  const pick = (): Route => random.pick(['v2', 'v3', 'v3', 'split'] as const)
  return { quote: 'dollar', routes: [pick(), pick()] } as const
}

/** Sessions of different tokens in which a wallet sells, one a token. */
function pickSessions(random: Random, { sessions, now_s, start_s }: Setting, habit: Habit): Session[] {
  const [newest, oldest] = habit.sells_days
  const thin = shuffled(random, sessions)
  const fitting = thin.flatMap((tokenSessions) => {
    const open = tokenSessions.filter(({ at_s }) => {
      const days = (now_s - at_s) / day_s
      return days >= newest && days <= oldest && at_s - habit.held_s[0] > start_s + day_s
    })
    return open.length === 0 ? [] : [random.pick(open)]
  })
  return fitting.slice(0, habit.n_trips)
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** The first swing trader is the skilled one. */
const hasForesight = (actors: readonly Actor[], { role, index }: Actor): boolean =>
  role === 'fade_target' || index === actors.find((actor) => actor.role === 'swing_trader')?.index

/** A smaller movement is lost in fees. */
const leastMove = 0.06

/**
 * Adds the wallets whose luck is planned: in each thin token they buy before a session and sell in it. Sessions that
 * rise make the skilled one, those that fall the fade targets.
 */
export function addForesight(diary: Diary, actors: readonly Actor[], setting: Setting): readonly number[] {
  const seeing = actors.filter((actor) => hasForesight(actors, actor))
  for (const actor of seeing) {
    const random = createRandom(setting.seed, 22, actor.index)
    const wanted: EvmArchetype | null = actor.archetype
    for (const tokenSessions of setting.sessions) {
      const open = tokenSessions.filter(({ at_s, price_usd, before_usd }) => {
        const days = (setting.now_s - at_s) / day_s
        const rise = Math.log(price_usd / before_usd) * (wanted === 'fade_target' ? -1 : 1)
        return days > 1 && days < 88 && rise > leastMove
      })
      if (open.length === 0) continue
      const session = random.pick(open)
      const sold_s = session.at_s + random.between(...settled_s)
      const bought_s = session.at_s - random.between(hour_s * 3, day_s * 3)
      const trip = { actor: actor.index, token: session.token, usd: random.between(300, 600), bought_s, sold_s }
      addTrip(diary, { ...trip, routes: ['v3', 'v3'] })
    }
  }
  return seeing.filter(({ role }) => role === 'swing_trader').map(({ index }) => index)
}
