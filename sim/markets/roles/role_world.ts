import { createCalendar, type Plan } from '#sim/markets/calendar.ts'
import { day_s, endsAt_s, now_s } from '#sim/markets/event_templates.ts'
import { createHardship, hardenPlans } from '#sim/markets/hardship.ts'
import { countMatches } from '#sim/markets/participation.ts'
import { decidedFrom } from '#sim/markets/trading/information.ts'
import { createTape, type Tape } from '#sim/markets/trading/tape.ts'
import type { Event, World } from '#sim/markets/types.ts'
import { assemble } from '#sim/markets/world.ts'
import { createRandom, type Random } from '#sim/random.ts'

import { drawClimate, type Climate } from './climate.ts'
import { createPlayers, type Player } from './people.ts'
import type { TruthTape } from './pit.ts'
import { tradeEvent } from './trade_event.ts'

/** What is true of a world of roles, beside its ledger. */
export type RoleTruth = {
  climate: Climate
  /** By index. */
  players: readonly Player[]
  /**
   * For each match the expected price of outcome 0 at the announced start, and a day after the match, for who knows
   * what its taker knew; NaN without one. `matches.expected` is the chance that it pays.
   */
  start: Float64Array
  markout: Float64Array
}

export type RoleWorld = { world: World; truth: RoleTruth; eventOf: (market: number) => Event | undefined }

/**
 * A venue on which what traders earn follows from their role as much as from their skill, as a pure function of the
 * seed.
 *
 * Retail traders rest orders, the inventory of market makers leans to one side, skill shows in one category or one kind
 * of event, prices have a favourite-longshot slope, pressure and errors fade, a crowd lifts favourites, some know
 * outcomes before any close does, some copy others, some wallets have one owner, some have two strategies, and some
 * markets never resolve. Scale 1 has some 1,600 traders and 140,000 fills. `slope` replaces the drawn one.
 */
export function createRoleWorld({
  seed,
  scale = 1,
  slope,
}: {
  seed: number
  scale?: number
  slope?: number
}): RoleWorld {
  const climate = drawClimate(createRandom(seed, 30), slope)
  const players = createPlayers(seed, scale)
  const plans = createCalendar(seed, 2 * scale)
  prepare(seed, plans, climate)
  const tape = createTape()
  const truth: TruthTape = { start: [], markout: [] }
  const random = createRandom(seed, 32)
  const counts = countMatches(plans, Math.max(2000, 78_000 * scale), random)
  const hardship = createHardship(seed)
  for (const [i, plan] of plans.entries()) {
    const n_matches = Math.round((counts[i] ?? 0) * (isThin(plan) ? 0.2 : 1.15))
    tradeEvent({ seed, climate, plan, players, tape, truth, hardship, random: createRandom(seed, 33, i) }, n_matches)
  }
  return finish(seed, { climate, players, plans, tape, truth })
}

type Finished = { climate: Climate; players: Player[]; plans: Plan[]; tape: Tape; truth: TruthTape }

function finish(seed: number, { climate, players, plans, tape, truth }: Finished): RoleWorld {
  const { world, order } = assemble(seed, plans, players, tape)
  const developed = (column: readonly number[]): Float64Array =>
    Float64Array.from(order, (taped) => column[taped] ?? Number.NaN)
  return {
    world,
    truth: { climate, players, start: developed(truth.start), markout: developed(truth.markout) },
    eventOf: (market) => world.events[world.markets[market]?.event ?? -1],
  }
}

/** Dates, books, and markets whose result nobody ever reports. */
function prepare(seed: number, plans: Plan[], climate: Climate): void {
  const random = createRandom(seed, 34)
  hardenPlans(plans, random)
  for (const plan of plans) {
    const half = Math.round(halfOf(random) * climate.spread)
    for (const market of plan.markets) {
      market.bookHalf = half
      market.decidedFrom_s = decidedFrom(plan)
    }
    const { draft } = plan
    if (draft.role !== 'ordinary' || draft.half !== null || draft.closedAt_s > now_s || !random.chance(0.03)) continue
    draft.proposedAt_s = endsAt_s + 30 * day_s
    draft.resolvedAt_s = endsAt_s + 31 * day_s
    draft.disputedAt_s = null
    for (const market of plan.markets) {
      market.proposedAt_s = draft.proposedAt_s
      market.resolvedAt_s = draft.resolvedAt_s
      market.disputedAt_s = null
    }
  }
}

/** Half the width of a book, in millionths: most are narrow, those of thin markets wide. */
function halfOf(random: Random): number {
  const draw = random.next()
  if (draw < 0.5) return random.between(4_000, 7_000)
  return draw < 0.85 ? random.between(8_000, 14_000) : random.between(20_000, 35_000)
}

const isThin = ({ markets }: Plan): boolean => (markets[0]?.bookHalf ?? 0) >= 16_000
