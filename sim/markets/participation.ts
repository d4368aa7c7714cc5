import type { Random } from '#sim/random.ts'

import type { Plan } from './calendar.ts'
import { day_s, now_s } from './event_templates.ts'
import type { Person } from './traders.ts'
import { shareBefore, type Appointments } from './trading/trading.ts'
import type { Participants } from './trading/trading_floor.ts'
import type { Archetype } from './types.ts'

/** The participants and the number of matches of each event. */

/** The matches of each event, so that about `n_before` of them fall before `now`. */
export function countMatches(plans: Plan[], n_before: number, random: Random): number[] {
  const weights = plans.map(({ draft }) =>
    draft.role === 'silent' ? 0 : draft.shape.weight * Math.exp(0.5 * random.normal()),
  )
  const expected = plans.reduce((sum, { draft }, i) => sum + (weights[i] ?? 0) * shareBefore(draft, now_s), 0)
  return weights.map((weight) => Math.round((n_before * weight) / expected))
}

/**
 * Rare traders get an event for each of their few orders. Each converter gets a few neg-risk events. All are before
 * `now`, so that every kind occurs.
 */
export function appointAll(plans: Plan[], counts: number[], people: Person[], random: Random): Appointments[] {
  const appointments: Appointments[] = plans.map(() => ({ rare: [], converters: [] }))
  const busy = plans.map((_, i) => i).filter((i) => matchesBefore(i, now_s - 300) >= 30)
  const convertible = busy.filter((i) => plans[i]?.draft.shape.isNegRisk && matchesBefore(i, now_s - day_s) >= 60)
  for (const person of people) {
    for (let i = 0; i < person.quota; i++) appointments[random.pick(busy)]?.rare.push(person.index)
    if (!person.isConverter) continue
    for (let i = 0; i < 3; i++) appointments[random.pick(convertible)]?.converters.push(person.index)
  }
  return appointments

  function matchesBefore(i: number, at_s: number): number {
    const draft = plans[i]?.draft
    return draft === undefined ? 0 : (counts[i] ?? 0) * shareBefore(draft, at_s)
  }
}

/** The participants of an event: appointed and regular traders, some makers, and enough other traders for a market. */
export function gather(
  { plan, people, tape, hardship }: Pick<Participants, 'plan' | 'people' | 'tape' | 'hardship'>,
  random: Random,
  appointed: Appointments,
): Participants {
  const isUnscheduled = plan.draft.startsAt_s === null ? 1 : 0
  const indexes = new Set([...appointed.rare, ...appointed.converters])
  for (const person of people) if (random.chance(person.attends[isUnscheduled])) indexes.add(person.index)
  if (plan.draft.news !== null) for (const { isLarge, index } of people) if (isLarge) indexes.add(index)
  for (const index of indexes) {
    const partner = people[index]?.partner ?? null
    if (partner !== null) indexes.add(partner)
  }
  for (let i = 0; i < 6; i++) indexes.add(random.pick(withArchetype('generalist')).index)
  indexes.add(random.pick(withArchetype('arbitrageur')).index)
  const makers = withArchetype('market_maker')
  const present = new Set<number>()
  while (present.size < Math.min(5, makers.length)) present.add(random.pick(makers).index)

  const members = [...indexes, ...present]
  const isArbitrageur = (index: number) => people[index]?.archetype === 'arbitrageur'
  return {
    plan,
    random,
    tape,
    people,
    hardship,
    members,
    makers: [...present].map((_, i) => indexes.size + i),
    arbitrageurs: members.flatMap((index, member) => (isArbitrageur(index) ? [member] : [])),
  }

  function withArchetype(archetype: Archetype): Person[] {
    return people.filter((person) => person.archetype === archetype)
  }
}
