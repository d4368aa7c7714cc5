import type { Random } from '#sim/random.ts'
import { DAY, HOUR, SECOND } from '#time.ts'

import {
  coins,
  dayOf,
  slugOf,
  teams,
  wordCoin,
  wordContest,
  wordRelease,
  wordStory,
  type Wording,
} from './questions.ts'
import type { Event, MarketKind, Result } from './types.ts'

/** The venue opens at `opensAt_s`; the world is watched from `now_s` to `endsAt_s`. */
export const hour_s = HOUR / SECOND
export const day_s = DAY / SECOND
export const opensAt_s = Date.UTC(2026, 6, 1) / 1000
export const now_s = opensAt_s + 120 * day_s
export const endsAt_s = now_s + 14 * day_s

/** The common properties of events of one shape. */
export type Shape = {
  name: 'story' | 'game' | 'window' | 'three_way' | 'release' | 'contest' | 'legacy'
  count: number
  atLeast: number
  startsBy: Event['startsBy']
  isNegRisk: boolean
  tick: number
  /** Matches, relative to other events. */
  weight: number
  /** The share of its events that end 0.5 to 0.5. */
  halfShare: number
}

export type Question = {
  kind: MarketKind
  text: string
  labels: readonly [string, string]
  groupItemTitle: string
  /** The probability of outcome 0; for a neg-risk event the weights of the candidates. */
  prior: number
}

/** A planted special case; most events have none. */
export type Role = 'ordinary' | 'paused' | 'awaiting' | 'fresh' | 'silent'

export type Draft = {
  shape: Shape
  role: Role
  wording: Wording
  slug: string
  questions: Question[]
  feeRate: number
  createdAt_s: number
  startsAt_s: number | null
  endsAt_s: number
  pausedAt_s: number | null
  resumedAt_s: number | null
  closedAt_s: number
  proposedAt_s: number
  disputedAt_s: number | null
  resolvedAt_s: number
  /** The start of play, where it is not the announced one. */
  playsAt_s: number | null
  /**
   * A question whether something happens until an instant, and its time if it does. From `from_s` on each second is
   * equally likely.
   */
  byDate: { from_s: number; until_s: number; happens_s: number | null } | null
  /** Overrides the drawn result: `fifty_fifty`, `void`, or `none` for old rows that were never reported. */
  half: Result | null
  /** News that breaks around `now`. */
  news: News | null
}

/**
 * News that moves the fair price of outcome 0 evenly between two instants, by units of logit(price). `leader` is the
 * large trader that acts on it first, by its number among those of the event.
 */
export type News = { from_s: number; to_s: number; logits: number; leader: number }

export const yesNo = ['Yes', 'No'] as const
// prettier-ignore
export const shapes: Record<Shape['name'], Shape> = {
  story: { name: 'story', count: 70, atLeast: 16, startsBy: null, isNegRisk: false, tick: 10_000, weight: 1.6, halfShare: 0.05 },
  game: { name: 'game', count: 84, atLeast: 10, startsBy: 'gameStartTime', isNegRisk: false, tick: 10_000, weight: 1.5, halfShare: 0.1 },
  window: { name: 'window', count: 60, atLeast: 6, startsBy: 'eventStartTime', isNegRisk: false, tick: 10_000, weight: 0.8, halfShare: 0 },
  three_way: { name: 'three_way', count: 12, atLeast: 2, startsBy: 'gameStartTime', isNegRisk: true, tick: 10_000, weight: 2.4, halfShare: 0 },
  release: { name: 'release', count: 6, atLeast: 1, startsBy: 'eventStartTime', isNegRisk: true, tick: 1000, weight: 3, halfShare: 0 },
  contest: { name: 'contest', count: 16, atLeast: 4, startsBy: null, isNegRisk: true, tick: 1000, weight: 4.5, halfShare: 0 },
  legacy: { name: 'legacy', count: 3, atLeast: 3, startsBy: null, isNegRisk: false, tick: 10_000, weight: 0, halfShare: 0 },
}

export function draftAll(random: Random, scale: number, isLifelike: boolean): Draft[] {
  const drafts: Draft[] = []
  for (const shape of Object.values(shapes)) {
    const count = Math.max(shape.atLeast, Math.round(shape.count * scale))
    for (let i = 0; i < count; i++) drafts.push(draftOne[shape.name](shape, i, random, isLifelike))
  }
  return drafts
}

type Drafting = (shape: Shape, i: number, random: Random, isLifelike: boolean) => Draft

const draftOne: Record<Shape['name'], Drafting> = {
  story(shape, i, random, isLifelike) {
    const role = storyRole(i)
    const half = halfOf(shape, i)
    const life = half !== null && i < 3 ? earlyLife(i) : lifeOf(role, i, random)
    const wording = random.chance(0.3) ? wordCoin(random, life.to_s, isLifelike) : wordStory(random, life.to_s)
    const question = { kind: 'yes_no', text: wording.title, labels: yesNo, groupItemTitle: '' } as const
    const drawn = random.between(0.12, 0.88)
    const draft = settle(shape, wording, [{ ...question, prior: wording.prior ?? drawn }], life, random)
    if (role === 'paused') [draft.pausedAt_s, draft.resumedAt_s] = [now_s - day_s, now_s + 6 * hour_s]
    if (role === 'awaiting')
      [draft.disputedAt_s, draft.resolvedAt_s] = [draft.proposedAt_s + 600, now_s + (1 + (i % 3)) * day_s]
    return { ...draft, role, half }
  },
  game(shape, i, random) {
    const [home, away] = teams(random)
    const last = halfOf(shape, i) !== null && i < 3 ? now_s - 20 * day_s : endsAt_s + 4 * day_s
    const start = roundTo(random.between(opensAt_s + 2 * day_s, last), 300)
    const life = {
      from_s: start - random.between(2, 7) * day_s,
      start_s: start,
      to_s: start + random.between(2, 3.2) * hour_s,
    }
    const wording = { title: `${home} vs. ${away}`, category: 'Sports', tags: ['Sports', 'Games'] }
    const winner = { kind: 'teams', text: wording.title, labels: [home, away], groupItemTitle: '' } as const
    const questions: Question[] = [{ ...winner, prior: random.between(0.2, 0.8) }]
    if (i % 2 === 0) {
      const title = `O/U ${2 + random.below(6)}.5`
      const total = { kind: 'over_under', text: `${home} vs. ${away}: ${title}`, labels: ['Over', 'Under'] } as const
      questions.push({ ...total, groupItemTitle: title, prior: random.between(0.38, 0.62) })
    }
    return { ...settle(shape, wording, questions, life, random, 0.03), half: halfOf(shape, i) }
  },
  window(shape, i, random) {
    const coin = coins[i % coins.length] ?? coins[0]
    const start = roundTo(random.between(opensAt_s + day_s, endsAt_s + day_s), hour_s)
    const life = { from_s: start - day_s, start_s: start, to_s: start + random.pick([1, 4, 24]) * hour_s }
    const hour = new Date(start * 1000).getUTCHours()
    const title = `${coin.name} Up or Down - ${dayOf(start)}, ${hour}:00 UTC`
    const wording = { title, category: 'Crypto', tags: ['Crypto', 'Up or Down', coin.name] }
    const question = { kind: 'up_down', text: title, labels: ['Up', 'Down'], groupItemTitle: '' } as const
    return settle(shape, wording, [{ ...question, prior: random.between(0.44, 0.56) }], life, random, 0.07)
  },
  three_way(shape, _i, random) {
    const [home, away] = teams(random)
    const start = roundTo(random.between(opensAt_s + 4 * day_s, endsAt_s + 2 * day_s), 900)
    const life = { from_s: start - random.between(4, 9) * day_s, start_s: start, to_s: start + 2.1 * hour_s }
    const wording = { title: `${home} vs. ${away} (league)`, category: 'Sports', tags: ['Sports', 'League'] }
    const questions = [home, 'Draw', away].map((who) => ({
      kind: 'neg_risk' as const,
      text: who === 'Draw' ? `Will ${home} vs. ${away} end in a draw?` : `Will ${who} win on ${dayOf(start)}?`,
      labels: yesNo,
      groupItemTitle: who,
      prior: random.between(0.7, 1.6),
    }))
    return settle(shape, wording, questions, life, random, 0.03)
  },
  release(shape, i, random) {
    const start = roundTo(opensAt_s + (20 + 20 * i + random.between(0, 6)) * day_s, hour_s)
    const life = { from_s: start - random.between(16, 19) * day_s, start_s: start, to_s: start + 0.5 * hour_s }
    const { candidates, ...wording } = wordRelease(4 + random.below(2), start)
    return settle(shape, wording, candidateQuestions(candidates, wording.title, random), life, random)
  },
  contest(shape, i, random) {
    const life = lifeOf('ordinary', i, random)
    const { candidates, ...wording } = wordContest(random, 3 + (i % 6), life.to_s)
    return settle(shape, wording, candidateQuestions(candidates, wording.title, random), life, random)
  },
  legacy(shape, i, random) {
    const from = Date.UTC(2020, 9, 2) / 1000 + i * 3 * day_s
    const wording = { ...wordStory(random, from + 20 * day_s), title: `Old question number ${i + 1}?` }
    const labels = i === 2 ? (['Long', 'Short'] as const) : yesNo
    const question = { kind: 'legacy', text: wording.title, labels, groupItemTitle: '', prior: 0.5 } as const
    const life = { from_s: from, start_s: null, to_s: from + 20 * day_s }
    return { ...settle(shape, wording, [question], life, random), role: 'silent', half: 'none' }
  },
}

function candidateQuestions(candidates: string[], title: string, random: Random): Question[] {
  return candidates.map((who) => ({
    kind: 'neg_risk',
    text: `${title.replace(/\?$/, '')}: ${who}?`,
    labels: yesNo,
    groupItemTitle: who,
    // Some are front-runners and some have almost no chance.
    prior: Math.exp(1.1 * random.normal()),
  }))
}

type Life = { from_s: number; start_s: number | null; to_s: number }

/** Long questions of all ages. Those with a role lie around the start of a demo. */
function lifeOf(role: Role, i: number, random: Random): Life {
  if (role === 'fresh') return { from_s: now_s - (2 + 5 * (i % 3)) * 60, start_s: null, to_s: now_s + 30 * day_s }
  if (role === 'awaiting') return { from_s: now_s - 40 * day_s, start_s: null, to_s: now_s - (1 + (i % 5)) * hour_s }
  if (role === 'paused') return { from_s: now_s - 50 * day_s, start_s: null, to_s: now_s + 25 * day_s }
  const from = opensAt_s + random.between(-1, 112) * day_s
  return { from_s: from, start_s: null, to_s: from + random.between(8, 85) * day_s }
}

const earlyLife = (i: number): Life => ({
  from_s: opensAt_s + 4 * day_s,
  start_s: null,
  to_s: opensAt_s + (30 + 10 * i) * day_s,
})

function storyRole(i: number): Role {
  if (i % 20 === 3) return 'paused'
  if (i % 20 === 7) return 'awaiting'
  if (i % 20 === 9) return 'fresh'
  if (i % 20 === 13) return 'silent'
  return 'ordinary'
}

/** The first few of a shape exist at any scale. */
function halfOf(shape: Shape, i: number): Result | null {
  const period = Math.round(2 / shape.halfShare)
  if (i % period === 1) return 'fifty_fifty'
  return i % period === 2 ? 'void' : null
}

export function settle(
  shape: Shape,
  wording: Wording,
  questions: Question[],
  life: Life,
  random: Random,
  feeRate = 0,
): Draft {
  const closedAt_s = Math.round(life.to_s)
  const isQuick = shape.name === 'window'
  const proposedAt_s = closedAt_s + (isQuick ? 20 : 300 + random.below(1500))
  const isDisputed = !isQuick && random.chance(0.06)
  const disputedAt_s = isDisputed ? proposedAt_s + 600 + random.below(6000) : null
  const wait_s = isQuick ? 120 + random.below(600) : 2 * hour_s + random.below(900)
  return {
    shape,
    role: 'ordinary',
    wording,
    slug: slugOf(wording.title),
    questions,
    feeRate: random.chance(0.2) && shape.name !== 'window' ? 0 : feeRate,
    createdAt_s: Math.round(life.from_s),
    startsAt_s: life.start_s,
    endsAt_s: roundTo(life.to_s + random.between(-1, 3) * (life.start_s === null ? day_s : hour_s), hour_s),
    pausedAt_s: null,
    resumedAt_s: null,
    closedAt_s,
    proposedAt_s,
    disputedAt_s,
    resolvedAt_s: proposedAt_s + wait_s + (isDisputed ? 2 * day_s + random.below(3 * day_s) : 0),
    half: null,
    playsAt_s: null,
    byDate: null,
    news: null,
  }
}

function roundTo(at_s: number, step_s: number): number {
  return Math.round(at_s / step_s) * step_s
}
