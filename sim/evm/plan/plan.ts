import type { Actor, EvmPlan, Role } from '#sim/evm/types.ts'
import { createRandom } from '#sim/random.ts'

import { createActors } from './actors.ts'
import { dollarsOf } from './fortunes.ts'
import { createSessions, type Session } from './sessions.ts'
import { addAbuse, addLaunches, addMovements, addNewcomers, addWhales } from './special.ts'
import { addForesight, addHabits } from './strategies.ts'
import { countTokens, createTokens } from './tokens.ts'
import { openDiary, slot_s, type Diary } from './trips.ts'

const day_s = 86_400
/**
 * The seconds that a world has traded at `now`: longer than the 90 days of several rules, with a hold of 90 days in
 * them.
 */
const past_s = 150 * day_s

export type PlanOptions = { seed: number; size: number; now_s: number; ends_s: number; isLifelike?: boolean }

/** The plan of a world, as a pure function of its options: wallets, tokens, and what is done in each block. */
export function createPlan({ seed, size, now_s, ends_s, isLifelike = false }: PlanOptions): EvmPlan {
  const start_s = now_s - past_s
  const actors = createActors(size)
  const tokens = createTokens(seed, countTokens(size), { start_s, now_s })
  const sessions = createSessions(seed, tokens, { start_s, now_s, ends_s })
  const setting = { seed, start_s, now_s, tokens, sessions }
  const diary = openDiary()
  addFunds(diary, actors, { start_s, seed, isLifelike })
  addCoinTrades(diary, actors, { seed, start_s, ends_s })
  for (const session of sessions.flat()) addSession(diary, actors, seed, session)
  addHabits(diary, actors, setting)
  const skilled = addForesight(diary, actors, setting)
  addLaunches(diary, actors, setting)
  addWhales(diary, actors, setting)
  addAbuse(diary, actors, setting)
  addMovements(diary, actors, setting)
  addNewcomers(diary, actors, setting)
  const tagged = actors.map((actor) => (skilled.includes(actor.index) ? { ...actor, tags: ['smart_money'] } : actor))
  return { seed, start_s, now_s, ends_s, isLifelike, actors: tagged, tokens, blocks: diary.blocks() }
}

/** Dollars of a wallet at the start, by role. */
const funds_usd: Partial<Record<Role, number>> = { whale: 3_000_000, bundler: 0, vault: 0, team: 0 }

function addFunds(
  diary: Diary,
  actors: readonly Actor[],
  { start_s, seed, isLifelike }: Pick<EvmPlan, 'start_s' | 'seed' | 'isLifelike'>,
): void {
  for (const funded of actors) {
    const { index: actor, role } = funded
    const usd = funds_usd[role] ?? (isLifelike ? dollarsOf(seed, funded) : 100_000)
    // Thirty in a block, from the first hour.
    if (usd > 0) diary.add(start_s + 3_600 + slot_s * Math.floor(actor / 30), { kind: 'fund', actor, usd })
  }
}

/** Seconds between two trades of the native coin: a price counts for a day, and only with two pools in that day. */
const coinPace_s = 8 * 3_600

/** The crowd trades the native coin for dollars all the time, through V2 and V3 by turns, so that it has a price. */
function addCoinTrades(
  diary: Diary,
  actors: readonly Actor[],
  { seed, start_s, ends_s }: { seed: number; start_s: number; ends_s: number },
): void {
  const random = createRandom(seed, 42)
  const crowd = actors.filter(({ role }) => role === 'crowd')
  const first_s = start_s + 2 * 3_600
  for (let n = 0; first_s + n * coinPace_s < ends_s; n++) {
    const [from, to] = random.chance(0.5) ? (['dollar', 'native'] as const) : (['native', 'dollar'] as const)
    const usd = random.between(300, 3_000)
    const step = {
      kind: 'swap',
      actor: random.pick(crowd).index,
      from,
      to,
      route: n % 2 === 0 ? 'v2' : 'v3',
      usd,
    } as const
    diary.add(first_s + n * coinPace_s, step)
    // A price needs two pools, from the first hour on.
    if (n === 0) diary.add(first_s + slot_s, { ...step, route: 'v3' })
  }
}

/** Seconds from a sale of the crowd to a session. A sale is listed if others could sell as much in other minutes. */
const supplied_s = 900

/**
 * A session: a wallet of the crowd has sold before, another buys or sells the native coin, and the price moves first in
 * the pool of V3. An arbitrageur or the crowd then moves the pool of V2.
 */
function addSession(diary: Diary, actors: readonly Actor[], seed: number, { token, at_s, price_usd }: Session): void {
  const random = createRandom(seed, 41, token, at_s)
  const crowd = actors.filter(({ role }) => role === 'crowd')
  const trader = random.pick(crowd).index
  const isBuyer = random.chance(0.5)
  diary.add(at_s - supplied_s, { kind: 'supply', token, usd: random.between(1_200, 2_000) })
  diary.add(at_s + slot_s, {
    kind: 'swap',
    actor: trader,
    from: isBuyer ? 'dollar' : 'native',
    to: isBuyer ? 'native' : 'dollar',
    route: random.pick(['v2', 'v3'] as const),
    usd: random.between(200, 2_000),
  })
  diary.add(at_s + 3 * slot_s, { kind: 'toward', token, venue: 'v3', price_usd })
  const arbitrageurs = actors.filter(({ role }) => role === 'arbitrageur')
  const isArbitrage = random.chance(0.35)
  if (isArbitrage) {
    diary.add(at_s + 5 * slot_s, { kind: 'arbitrage', actor: random.pick(arbitrageurs).index, token })
  } else {
    diary.add(at_s + 5 * slot_s, { kind: 'toward', token, venue: 'v2', price_usd })
  }
  diary.add(at_s + 6 * slot_s, { kind: 'toward', token, venue: 'v4', price_usd })
}
