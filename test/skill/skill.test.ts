import { beforeAll, describe, expect, test } from 'vitest'

import { archetypes } from '#sim/markets/types.ts'

import { judge, type Share, type Verdict } from './judge.ts'

const seeds = Array.from({ length: 20 }, (_, n) => n + 1)
const verdicts: Verdict[] = []

/** All worlds together. */
const pooled = (of: (verdict: Verdict) => Share): number => {
  const shares = verdicts.map(of)
  return shares.reduce((sum, { n }) => sum + n, 0) / shares.reduce((sum, share) => sum + share.of, 0)
}

/** Two worlds at a time: while one is scored the other one is made. */
beforeAll(async () => {
  const left = [...seeds]
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) verdicts.push(await judge(seed))
  }
  await Promise.all([work(), work()])
}, 1_800_000)

describe('closing line values of twenty worlds', () => {
  test.each(['event_start', 'markout_24h', 'shown'] as const)(
    'hold the planted edge in 92 to 98 of 100 intervals: %s',
    (kind) => {
      const share = pooled(({ covered }) => covered[kind])
      expect(share).toBeGreaterThanOrEqual(0.92)
      expect(share).toBeLessThanOrEqual(0.98)
    },
  )

  test('call at most 2.5 of 100 skilled who have no edge', () => {
    expect(pooled(({ flattered }) => flattered)).toBeLessThanOrEqual(0.025)
    expect(verdicts.reduce((sum, { flattered }) => sum + flattered.of, 0)).toBeGreaterThan(2000)
  })

  test('put more of the planted sharps first than their raw values, profit, or the win rate do, in every world', () => {
    for (const { precision } of verdicts) {
      const { clv, ...naive } = precision
      for (const other of Object.values(naive)) expect(clv.n / clv.of).toBeGreaterThan(other.n / other.of)
    }
    expect(pooled(({ precision }) => precision.clv)).toBeGreaterThan(0.7)
  })

  test('rest on closes that are calibrated, but for the one in a hundred that chance breaks', () => {
    const guards = verdicts.flatMap((verdict) => verdict.guards)
    expect(guards).toHaveLength(4 * seeds.length)
    // Each says something: it has 200 markets.
    expect(guards.filter(({ is_held }) => is_held === null)).toEqual([])
    expect(guards.filter(({ is_held }) => is_held === false).length).toBeLessThanOrEqual(2)
  })
})

describe('archetypes of twenty worlds', () => {
  test('are told as planted for nine in ten who have 50 fills, whatever they are', () => {
    const told = archetypes.filter((one) => one !== 'unproven').map((one) => pooled(({ recall }) => recall[one]))
    expect(told.reduce((sum, share) => sum + share, 0) / told.length).toBeGreaterThanOrEqual(0.9)
  })

  test('call nearly everybody unproven who is', () => {
    expect(pooled(({ recall }) => recall.unproven)).toBeGreaterThanOrEqual(0.97)
  })
})
