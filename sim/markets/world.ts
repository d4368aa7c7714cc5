import { createRandom, hexSpace, hexText } from '#sim/random.ts'

import { createCalendar, type Plan } from './calendar.ts'
import { endsAt_s, now_s, opensAt_s } from './event_templates.ts'
import { createHardship, hardenPeople, hardenPlans, type Hardship } from './hardship.ts'
import { enlarge } from './news.ts'
import { addExtras } from './other_rows.ts'
import { appointAll, countMatches, gather } from './participation.ts'
import { createPeople, createPerson, type Person } from './traders.ts'
import { decidedFrom } from './trading/information.ts'
import { createTape, developTape, type Tape } from './trading/tape.ts'
import { tradeEvent } from './trading/trading.ts'
import type { Activity, Trader, World } from './types.ts'

/**
 * The traders and the matches of a world, each relative to those of its scale. They leave the markets as they are, so
 * the markets that each trader enters follow from their ratio.
 */
export type Crowd = { traders: number; matches: number }

/**
 * A prediction-market venue with its whole history, as a pure function of the seed.
 *
 * By `now`, scale 1 has some 380 markets, 1,160 traders and 109,000 matches. A small scale has at least one of
 * everything.
 */
export function createWorld({
  seed,
  scale = 1,
  crowd = { traders: 1, matches: 1 },
  isHard = false,
  isLifelike = false,
  hasNews = false,
}: {
  seed: number
  scale?: number
  crowd?: Crowd
  /** Whether scores have a hard time (`hardship.ts`). */
  isHard?: boolean
  /** Whether questions about coins name prices near those of the real coins. */
  isLifelike?: boolean
  /** Whether news breaks around `now`, on which large traders act (`news.ts`). */
  hasNews?: boolean
}): World {
  // In a hard world each trader has more events, since skill shows after many only.
  const people = createPeople(seed, (isHard ? scale / 2 : scale) * crowd.traders)
  if (hasNews) enlarge(people, createRandom(seed, 15))
  const plans = createCalendar(seed, isHard ? 2 * scale : scale, { isLifelike, hasNews })
  const hardship = isHard ? harden(seed, people, plans) : null
  for (const plan of plans) for (const market of plan.markets) market.decidedFrom_s = decidedFrom(plan)
  const tape = createTape()
  const random = createRandom(seed, 3)
  const counts = countMatches(plans, Math.max(3000, 108_000 * scale * crowd.matches), random)
  const appointments = appointAll(plans, counts, people, random)
  for (const [i, plan] of plans.entries()) {
    const appointed = appointments[i] ?? { rare: [], converters: [] }
    const participants = gather({ plan, people, tape, hardship }, createRandom(seed, 5, i), appointed)
    tradeEvent(participants, counts[i] ?? 0, appointed)
  }
  return assemble(seed, plans, people, tape).world
}

function harden(seed: number, people: Person[], plans: Plan[]): Hardship {
  const random = createRandom(seed, 9)
  hardenPeople(people, random, (index) => createPerson(seed, index, 'generalist', random))
  hardenPlans(plans, random)
  return createHardship(seed)
}

/** The hash of a transaction by its number. */
export const txHash = (world: Pick<World, 'seed'>, tx: number): string =>
  `0x${hexText(world.seed, hexSpace.tx, tx, 64)}`

/**
 * The same world with its matches after `now` in a shorter time, so that it is as busy as a real venue for a while. A
 * second of it has the matches of `factor` seconds. Markets close when they did.
 */
export function squeezed(world: World, factor: number): World {
  const ts_s = world.matches.ts_s.map((at_s) => (at_s <= now_s ? at_s : Math.floor(now_s + (at_s - now_s) / factor)))
  return { ...world, matches: { ...world.matches, ts_s } }
}

/** A world of what was traded, and for each of its matches the place on the tape. */
export function assemble(
  seed: number,
  plans: Plan[],
  people: Person[],
  tape: Tape,
): { world: World; order: Int32Array } {
  const markets = plans.flatMap((plan) => plan.markets)
  const taped = addExtras(seed, tape, people, markets)
  const { matches, fills, order } = developTape(tape, endsAt_s)
  const place = new Map([...order].map((tapedAt, match) => [tapedAt, match]))
  const world: World = {
    seed,
    opensAt: opensAt_s * 1_000_000,
    now: now_s * 1_000_000,
    endsAt: endsAt_s * 1_000_000,
    events: plans.map((plan) => plan.event),
    markets,
    traders: people.map(traderOf),
    matches,
    fills,
    prices: tape.prices,
    activity: sortActivity(tape.activity),
    combos: taped.flatMap(({ taped: tapedAt, ...combo }) => {
      const match = place.get(tapedAt)
      return match === undefined ? [] : [{ ...combo, match }]
    }),
  }
  return { world, order }
}

function traderOf({ index, wallet, name, pseudonym, archetype, edge, isConverter, partner }: Person): Trader {
  return { index, wallet, name, pseudonym, archetype, edge, isConverter, partner }
}

/** By time; rows of one second keep their order. */
function sortActivity(rows: Activity[]): Activity[] {
  return rows.filter((row) => row.ts_s <= endsAt_s).sort((a, b) => a.ts_s - b.ts_s || a.tx - b.tx)
}
