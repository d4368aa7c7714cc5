import { beforeAll, describe, expect, test } from 'vitest'

import { archetypes } from '#sim/markets/types.ts'
import { sized, slack } from '#test/run/sized.ts'

import { judge, type Share, type Verdict } from './judge.ts'

const n_full = 20
const seeds = Array.from({ length: sized(2, 4, n_full) }, (_, n) => n + 1)
const verdicts: Verdict[] = []

/** All worlds together. */
const together = (of: (verdict: Verdict) => Share): Share =>
  verdicts.map(of).reduce((sum, share) => ({ n: sum.n + share.n, of: sum.of + share.of }))
const pooled = (of: (verdict: Verdict) => Share): number => together(of).n / together(of).of
/** By how much a bound of a pooled share gives way with fewer worlds. */
const slackOf = (bound: number, of: (verdict: Verdict) => Share): number =>
  slack(bound, { n: together(of).of, part: seeds.length / n_full })

/** Two worlds at a time: while one is scored the other one is made. */
beforeAll(async () => {
  const left = [...seeds]
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) verdicts.push(await judge(seed))
  }
  await Promise.all([work(), work()])
}, 1_800_000)

describe(`closing line values of ${seeds.length} worlds`, () => {
  test.each(['event_start', 'markout_24h', 'shown'] as const)(
    'hold the planted edge in 92 to 98 of 100 intervals: %s',
    (kind) => {
      const of = ({ covered }: Verdict): Share => covered[kind]
      expect(pooled(of)).toBeGreaterThanOrEqual(0.92 - slackOf(0.92, of))
      expect(pooled(of)).toBeLessThanOrEqual(0.98 + slackOf(0.98, of))
    },
  )

  test('call at most 2.5 of 100 skilled who have no edge', () => {
    const of = ({ flattered }: Verdict): Share => flattered
    expect(pooled(of)).toBeLessThanOrEqual(0.025 + slackOf(0.025, of))
    expect(together(of).of).toBeGreaterThan(100 * seeds.length)
  })

  test('put more of the planted sharps first than their raw values, profit, or the win rate do, in every world', () => {
    for (const { precision } of verdicts) {
      const { clv, ...naive } = precision
      for (const other of Object.values(naive)) expect(clv.n / clv.of).toBeGreaterThan(other.n / other.of)
    }
    expect(pooled(({ precision }) => precision.clv)).toBeGreaterThan(0.7)
  })

  test('rest on closes that are calibrated: no guard is broken by chance', () => {
    const guards = verdicts.flatMap((verdict) => verdict.guards)
    expect(guards).toHaveLength(2 * seeds.length)
    // Each says something: it has 200 markets.
    expect(guards.filter(({ is_held }) => is_held === null)).toEqual([])
    expect(guards.filter(({ is_held }) => is_held === false)).toEqual([])
  })
})

describe(`archetypes of ${seeds.length} worlds`, () => {
  /** Words about skill need evidence: at most one in ten of those that have them is luck. */
  const ofSkill = new Set<string>(['sharp', 'fade_target', 'value_hunter'])

  test('of ways to trade are found as planted for nine in ten who have 50 fills, whatever they are', () => {
    const recalls = archetypes
      .filter((one) => one !== 'unproven' && !ofSkill.has(one))
      .map((one) => pooled(({ recall }) => recall[one]))
    expect(recalls.reduce((sum, share) => sum + share, 0) / recalls.length).toBeGreaterThanOrEqual(0.9)
  })

  test('of skill are found for six in ten who have 50 fills and an edge of their own', () => {
    for (const one of ['sharp', 'fade_target'] as const) {
      const of = ({ recall }: Verdict): Share => recall[one]
      expect(pooled(of)).toBeGreaterThanOrEqual(0.6 - slackOf(0.6, of))
    }
  })

  test('call nearly everybody unproven who is', () => {
    expect(pooled(({ recall }) => recall.unproven)).toBeGreaterThanOrEqual(0.97)
  })
})
