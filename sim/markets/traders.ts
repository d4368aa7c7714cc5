import { createRandom, hexSpace, hexText, type Random } from '#sim/random.ts'

import type { Archetype, Trader } from './types.ts'

/** The planted behaviour of an archetype. Chances are per event; `bet_usd` is the typical stake of one order. */
export type Temper = {
  count: number
  atLeast: number
  edge: readonly [number, number]
  bet_usd: readonly [number, number]
  /** The relative activity of a participant. */
  rate: number
  /** The probability of taking part in an event with, and without, a scheduled start. */
  attends: readonly [number, number]
}

/** One row an archetype. The counts are for a world of scale 1. */
export const tempers: Record<Archetype, Temper> = {
  market_maker: { count: 44, atLeast: 5, edge: [0.4, 0.9], bet_usd: [200, 900], rate: 0, attends: [0, 0] },
  arbitrageur: { count: 40, atLeast: 2, edge: [0, 0], bet_usd: [100, 900], rate: 0, attends: [0.25, 0.35] },
  sharp: { count: 60, atLeast: 3, edge: [3.5, 6], bet_usd: [40, 180], rate: 1.4, attends: [0.85, 0.2] },
  fade_target: { count: 110, atLeast: 4, edge: [-6, -3.5], bet_usd: [20, 150], rate: 1.4, attends: [0.85, 0.2] },
  value_hunter: { count: 90, atLeast: 3, edge: [2.8, 3.8], bet_usd: [30, 200], rate: 2.2, attends: [0.38, 0.4] },
  momentum_chaser: { count: 90, atLeast: 3, edge: [-1.6, -0.6], bet_usd: [20, 150], rate: 3.4, attends: [0.3, 0.5] },
  longshot_hunter: { count: 90, atLeast: 3, edge: [-1.4, -0.5], bet_usd: [4, 40], rate: 2.2, attends: [0.3, 0.5] },
  favorite_backer: { count: 90, atLeast: 3, edge: [-1.2, -0.4], bet_usd: [40, 300], rate: 2.2, attends: [0.3, 0.5] },
  whale: { count: 7, atLeast: 2, edge: [-0.4, 0], bet_usd: [1300, 3000], rate: 12, attends: [0.35, 0.6] },
  generalist: { count: 430, atLeast: 16, edge: [-0.8, 0], bet_usd: [10, 150], rate: 1, attends: [0.33, 0.35] },
  unproven: { count: 112, atLeast: 6, edge: [-3, 0], bet_usd: [5, 60], rate: 0, attends: [0, 0] },
}

/** A trader with the hidden properties of the simulation. */
export type Person = Trader & {
  bet_usd: number
  rate: number
  attends: readonly [number, number]
  quota: number
  /** Whether the trader makes large orders, acts on news, and holds its shares until they pay out. */
  isLarge: boolean
  /** When the trader's skill ends; for most never. */
  skillEndsAt_s: number
}

/** The traders of a world, in random order. */
export function createPeople(seed: number, scale: number): Person[] {
  const random = createRandom(seed, 1)
  const kinds: Archetype[] = []
  for (const [archetype, temper] of Object.entries(tempers) as [Archetype, Temper][]) {
    const count = Math.max(temper.atLeast, Math.round(temper.count * scale))
    for (let i = 0; i < count; i++) kinds.push(archetype)
  }
  shuffle(kinds, random)
  const people = kinds.map((archetype, index) => createPerson(seed, index, archetype, random))
  appointConverters(people)
  return people
}

export function createPerson(seed: number, index: number, archetype: Archetype, random: Random): Person {
  const temper = tempers[archetype]
  const [poor, rich] = temper.bet_usd
  const wallet = `0x${hexText(seed, hexSpace.wallet, index, 40)}`
  return {
    index,
    wallet,
    ...nameOf(wallet, random),
    archetype,
    // Many traders neither gain nor lose: none of them is skilled.
    edge: archetype === 'generalist' && random.chance(0.4) ? 0 : random.between(...temper.edge),
    isConverter: false,
    partner: null,
    isLarge: false,
    skillEndsAt_s: Infinity,
    bet_usd: poor * Math.exp(random.next() * Math.log(rich / poor)),
    rate: temper.rate * Math.exp(0.4 * random.normal()),
    attends: temper.attends,
    quota: archetype === 'unproven' ? 1 + random.below(14) : 0,
  }
}

/** About 1.5 % of all traders, alternately arbitrageurs and generalists. Their conversions hide in ordinary trading. */
function appointConverters(people: Person[]): void {
  const n_converters = Math.max(2, Math.round(people.length * 0.015))
  const pools = [withArchetype('arbitrageur'), withArchetype('generalist')]
  for (let i = 0; i < n_converters; i++) {
    const person = pools[i % 2]?.[Math.floor(i / 2)]
    if (person === undefined) break
    person.isConverter = true
    // Each needs enough fills for its account to be read.
    person.rate = Math.max(person.rate, person.archetype === 'arbitrageur' ? 0.3 : 1)
  }

  function withArchetype(archetype: Archetype): Person[] {
    return people.filter((person) => person.archetype === archetype)
  }
}

const adjectives = ['Quiet', 'Brisk', 'Copper', 'Distant', 'Fuzzy', 'Gentle', 'Hollow', 'Lucid', 'Mellow', 'Nimble']
const nouns = ['Anchor', 'Badger', 'Compass', 'Dune', 'Ember', 'Ferry', 'Glacier', 'Heron', 'Lantern', 'Meadow']
const handles = ['ledger', 'tidewatch', 'oddsmith', 'quill', 'parity', 'northbound', 'coinflip', 'deepbook', 'kestrel']

function nameOf(wallet: string, random: Random): { name: string; pseudonym: string } {
  const draw = random.next()
  const pseudonym = random.chance(0.06) ? '' : `${random.pick(adjectives)}-${random.pick(nouns)}`
  if (draw < 0.22) return { name: '', pseudonym }
  if (draw < 0.4) return { name: `${wallet}-${1_770_000_000_000 + random.below(9_999_999)}`, pseudonym }
  // A few names contain characters that break naive quoting.
  if (draw < 0.42) return { name: `"${random.pick(handles)}" \\o/ ☀`, pseudonym }
  return { name: `${random.pick(handles)}${random.below(1000)}`, pseudonym }
}

function shuffle<T>(list: T[], random: Random): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const kept = list[i] as T
    list[i] = list[j] as T
    list[j] = kept
  }
}
