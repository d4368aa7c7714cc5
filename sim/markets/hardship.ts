import { createRandom, mix, type Random } from '#sim/random.ts'

import type { Plan } from './calendar.ts'
import { day_s, hour_s, now_s, opensAt_s } from './event_templates.ts'
import type { Person } from './traders.ts'

/**
 * What makes a world hard for scores. Prices of a category share half of their news, so that events of a day move
 * together. Takers follow the crowd of their day, their stakes differ by orders of magnitude, and their orders move the
 * price. Most have no skill; that of the others fades, and ends for some. Pairs of wallets trade with each other at
 * closes.
 */
export type Hardship = {
  /** The news of a quarter of an hour that all events of a group share: a standard normal number. */
  shock: (group: string, cell: number) => number
  /** The outcome that the crowd of a category buys on a day. */
  fashion: (category: string, ts_s: number) => 0 | 1
}

/** News arrives at the ends of such periods. */
export const cell_s = 900
const year_s = 365 * day_s
const firstCell = Math.floor((opensAt_s - year_s) / cell_s)
/** The half-life of skill. */
const fading_s = 60 * day_s

export function createHardship(seed: number): Hardship {
  const shocks = new Map<string, Float64Array>()
  return {
    shock: (group, cell) => {
      const series = shocks.get(group) ?? shocksOf(seed, group)
      shocks.set(group, series)
      return series[cell - firstCell] ?? 0
    },
    fashion: (category, ts_s) =>
      createRandom(seed, 12, numberOf(category), Math.floor(ts_s / day_s)).chance(0.5) ? 0 : 1,
  }
}

/** The shocks of a group, from a year before the venue opens to a year after. */
function shocksOf(seed: number, group: string): Float64Array {
  const random = createRandom(seed, 11, numberOf(group))
  return Float64Array.from({ length: (2 * year_s) / cell_s }, () => random.normal())
}

const numberOf = (name: string): number => [...name].reduce((sum, letter) => mix(sum, letter.codePointAt(0) ?? 0), 1)

/** The share of a trader's skill that is left at an instant. */
export const skillAt = ({ skillEndsAt_s }: Person, ts_s: number): number =>
  ts_s >= skillEndsAt_s ? 0 : 0.5 ** (Math.max(0, ts_s - opensAt_s) / fading_s)

/** Takes the skill from all but the sharps, value hunters and half of the fade targets, and adds pairs of wallets. */
export function hardenPeople(people: Person[], random: Random, newPerson: (index: number) => Person): void {
  const unskilled = new Set([
    'momentum_chaser',
    'longshot_hunter',
    'favorite_backer',
    'whale',
    'generalist',
    'unproven',
  ])
  for (const person of people) {
    const isLucky = person.archetype === 'fade_target' && random.chance(0.5)
    if (unskilled.has(person.archetype) || isLucky) person.edge = 0
    if (person.archetype === 'sharp' && random.chance(0.3))
      person.skillEndsAt_s = opensAt_s + random.between(40, 110) * day_s
  }
  const n_pairs = Math.max(2, Math.round(people.length / 120))
  for (let pair = 0; pair < n_pairs; pair++) {
    const first = newPerson(people.length)
    const second = newPerson(people.length + 1)
    first.partner = second.index
    second.partner = first.index
    for (const wallet of [first, second]) wallet.rate = 0.2
    people.push(first, second)
  }
}

/**
 * Questions "by a date" that end early where it happens, and starts that are postponed without a word: the event's
 * known start stays as it was announced.
 */
export function hardenPlans(plans: Plan[], random: Random): void {
  for (const { draft } of plans) {
    const { role, shape, half } = draft
    const [question] = draft.questions
    if (
      shape.name === 'story' &&
      role === 'ordinary' &&
      half === null &&
      question !== undefined &&
      random.chance(0.4)
    ) {
      const happens = random.chance(question.prior)
      const from_s = Math.max(draft.createdAt_s, opensAt_s) + day_s
      const at_s = Math.round(random.between(from_s, draft.closedAt_s))
      draft.byDate = { from_s, until_s: draft.closedAt_s, happens_s: happens ? at_s : null }
      draft.endsAt_s = draft.closedAt_s
      if (happens) shift(draft, at_s + 3 * hour_s - draft.closedAt_s)
    }
    if (
      shape.name === 'game' &&
      draft.startsAt_s !== null &&
      draft.startsAt_s < now_s - 3 * day_s &&
      random.chance(0.1)
    ) {
      const delay_s = Math.round(random.between(2, 20)) * hour_s
      draft.playsAt_s = draft.startsAt_s + delay_s
      shift(draft, delay_s)
    }
  }
  shareHalves(plans)
  for (const plan of plans) copyDates(plan)
}

/** Gives the markets of an event the dates of its changed draft. */
export function copyDates({ draft, markets }: Plan): void {
  for (const market of markets) {
    market.endsAt_s = draft.endsAt_s
    market.closedAt_s = draft.closedAt_s
    market.proposedAt_s = draft.proposedAt_s
    market.disputedAt_s = draft.disputedAt_s
    market.resolvedAt_s = draft.resolvedAt_s
  }
}

/**
 * The price of a story foresees the share of half payouts. A question "by a date" has none, so that they are more
 * frequent among the other ones. They are the first ones of a shape, which end before the others: the share is that
 * among stories whose end is known by now, since prices drift to the middle where the stories that are traded have
 * more.
 */
function shareHalves(plans: readonly Plan[]): void {
  const stories = plans.map(({ draft }) => draft).filter(({ shape }) => shape.name === 'story')
  const learned = stories.filter(({ byDate, role, createdAt_s, closedAt_s }) => {
    const learnedAt_s = closedAt_s - 0.1 * (closedAt_s - createdAt_s)
    return byDate === null && role !== 'silent' && learnedAt_s <= now_s
  })
  const halfShare = learned.filter(({ half }) => half !== null).length / Math.max(1, learned.length)
  for (const draft of stories) draft.shape = { ...draft.shape, halfShare: draft.byDate === null ? halfShare : 0 }
}

function shift(draft: Plan['draft'], by_s: number): void {
  draft.closedAt_s += by_s
  draft.proposedAt_s += by_s
  draft.resolvedAt_s += by_s
  if (draft.disputedAt_s !== null) draft.disputedAt_s += by_s
}
