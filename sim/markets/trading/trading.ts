import type { Draft } from '#sim/markets/event_templates.ts'
import { endsAt_s, now_s, opensAt_s } from '#sim/markets/event_templates.ts'
import type { Random } from '#sim/random.ts'

import { settleEvent } from './after_resolution.ts'
import { buySet, convert, mergeAll, split } from './multi_leg_trades.ts'
import { tradeOnNews } from './news_trades.ts'
import { takeOccasion, takeTurn } from './takers.ts'
import { advance, heldOf, later, openFloor, personOf, type Participants, type TradingFloor } from './trading_floor.ts'
import { washAtClose } from './washes.ts'

/** Traders (by index) that must act before `now` of the world, one entry for each act. */
export type Appointments = { rare: number[]; converters: number[] }

/** The trading of one event, from the first order to the last redemption. */
export function tradeEvent(participants: Participants, nMatches: number, appointments: Appointments): void {
  const floor = openFloor(participants)
  const { draft } = participants.plan
  const times = drawTimes(draft, nMatches, participants.random)
  if (participants.hardship !== null) washAtClose(floor)
  if (draft.news !== null) tradeOnNews(floor, draft.news)
  if (times.length > 0) {
    const first_s = times[0] ?? draft.closedAt_s
    for (const maker of floor.makers) stock(floor, maker, first_s)
    const deeds = appoint(floor, times, appointments)
    let ahead = 0
    for (const [i, ts_s] of times.entries()) {
      advance(floor, ts_s)
      const until_s = times[i + 1] ?? ts_s
      const deed = deeds.get(i)
      if (deed !== undefined) ahead += deed(until_s) - 1
      else if (ahead > 0) ahead--
      else if (floor.arbitrageurs.length > 0 && floor.random.chance(0.025)) ahead += buySet(floor, until_s) - 1
      else ahead += takeTurn(floor) - 1
      if (i % 97 === 96) for (const maker of floor.makers) unstock(floor, maker)
    }
  }
  advance(floor, Math.min(draft.closedAt_s, endsAt_s))
  floor.pending.length = 0
  settleEvent(floor)
}

/** The seconds of the acts, ascending; often several in one second. */
export function drawTimes(draft: Draft, nMatches: number, random: Random): number[] {
  const from_s = Math.max(draft.createdAt_s, opensAt_s) + 600
  const times: number[] = []
  for (let i = 0; i < nMatches; i++) {
    const drawn = random.chance(0.04)
      ? (times[times.length - 1] ?? drawTime(draft, from_s, random))
      : drawTime(draft, from_s, random)
    const ts_s = Math.floor(drawn)
    const isPaused = ts_s >= (draft.pausedAt_s ?? Infinity) && ts_s < (draft.resumedAt_s ?? -Infinity)
    const isUnseen = draft.role === 'fresh' && ts_s <= now_s
    if (ts_s >= from_s && ts_s < draft.closedAt_s && ts_s <= endsAt_s && !isPaused && !isUnseen) times.push(ts_s)
  }
  return times.sort((a, b) => a - b)
}

/** Trading increases towards a start, with a peak in the quarter of an hour before. */
function drawTime(draft: Draft, from_s: number, random: Random): number {
  const { startsAt_s, closedAt_s } = draft
  // The day on which something happens is not known before: trading is spread over the planned time.
  if (startsAt_s === null) return random.between(from_s, draft.byDate?.until_s ?? closedAt_s)
  const draw = random.next()
  if (draw < 0.6) return startsAt_s - (startsAt_s - from_s) * random.next() * random.next()
  return draw < 0.74 ? startsAt_s - random.between(0, 900) : random.between(startsAt_s, closedAt_s)
}

/** The share of an event's matches that falls before an instant. */
export function shareBefore(draft: Draft, at_s: number): number {
  const from_s = Math.max(draft.createdAt_s, opensAt_s) + 600
  if (draft.startsAt_s === null)
    return draft.role === 'fresh'
      ? 0
      : clamp((Math.min(at_s, draft.closedAt_s) - from_s) / ((draft.byDate?.until_s ?? draft.closedAt_s) - from_s))
  // Of a product of two uniform numbers u: P(u > x) = 1 - x + x ln x.
  const x = clamp((draft.startsAt_s - at_s) / (draft.startsAt_s - from_s))
  const early = x === 0 ? 1 : 1 - x + x * Math.log(x)
  const rush = clamp((at_s - draft.startsAt_s + 900) / 900)
  return 0.6 * early + 0.14 * rush + 0.26 * clamp((at_s - draft.startsAt_s) / (draft.closedAt_s - draft.startsAt_s))
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x))

/** Assigns each appointment a separate time before `now`. */
function appoint(
  floor: TradingFloor,
  times: number[],
  { rare, converters }: Appointments,
): Map<number, (until_s: number) => number> {
  const deeds = new Map<number, (until_s: number) => number>()
  const usable = times.filter((ts_s) => ts_s < now_s - 300).length
  for (const index of rare) place(usable, () => takeOccasion(floor, floor.members.indexOf(index)))
  for (const index of converters) {
    place(Math.floor(usable * 0.7), (until_s) => convert(floor, floor.members.indexOf(index), until_s))
  }
  return deeds

  function place(n: number, deed: (until_s: number) => number): void {
    for (let attempt = 0; attempt < 40 && n > 0; attempt++) {
      const i = floor.random.below(n)
      if (deeds.has(i)) continue
      deeds.set(i, deed)
      return
    }
  }
}

/** A maker begins with complete sets of each market. */
function stock(floor: TradingFloor, maker: number, first_s: number): void {
  const sets = 1_000_000 * Math.round(personOf(floor, maker).bet_usd * floor.random.between(0.5, 4))
  const at_s = Math.max(floor.plan.draft.createdAt_s, opensAt_s, first_s - 1 - floor.random.below(500))
  for (let market = 0; market < floor.plan.markets.length; market++) {
    later(floor, at_s, () => split(floor, maker, market, sets))
  }
}

/** Accumulated sets are turned back into dollars. */
function unstock(floor: TradingFloor, maker: number): void {
  const keep = 1_000_000 * Math.round(personOf(floor, maker).bet_usd)
  for (let market = 0; market < floor.plan.markets.length; market++) {
    const sets = Math.min(heldOf(floor, maker, 2 * market), heldOf(floor, maker, 2 * market + 1))
    if (sets > 3 * keep) mergeAll(floor, maker, market, keep)
  }
}
