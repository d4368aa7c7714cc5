import { expect, test } from 'vitest'

import { rivalsOf, roleBounds } from './role_bounds.ts'
import type { RoleVerdict } from './role_judge.ts'
import { orders, targets, type Rank } from './role_ranks.ts'

/** The correlations of some worlds: of the score as given, world by world, and of all rivals 0.2. */
const ranksWith = (score: number): Rank[] =>
  ['taker', 'maker'].flatMap((role) =>
    targets.flatMap((target) =>
      orders.map((order) => ({ role, order, target, n: 100, spearman: order === 'score' ? score : 0.2 })),
    ),
  )
const verdict = (ranks: Rank[]): RoleVerdict => {
  const share = (n: number, all: number) => [{ name: 'taker early', n, of: all }]
  return {
    seed: 1,
    falseSharps: share(0, 50),
    invisibleSharps: share(0, 50),
    power: share(40, 50),
    first: share(15, 20),
    covered: [{ name: 'role taker', n: 950, of: 1000 }],
    kindCovered: [],
    scoreCovered: [],
    rawCovered: [],
    ranks,
    scored: share(100, 100),
    brokenGuards: [],
  }
}
const boundNamed = (name: string, verdicts: readonly RoleVerdict[]) =>
  roleBounds(verdicts).find((bound) => bound.name.startsWith(name))

test('coverage a little outside of its bound breaks it over 20 worlds, and over few worlds only if it surely is', () => {
  const low: RoleVerdict = { ...verdict([]), covered: [{ name: 'decile 08', n: 92, of: 100 }] }
  const breachesOf = (n: number) =>
    boundNamed(
      'coverage',
      Array.from({ length: n }, () => low),
    )?.breaches
  expect(breachesOf(3)).toEqual([])
  expect(breachesOf(20)).toEqual(['decile 08: 1840 of 2000, 0.920; expected 0.93 to 0.97'])
})

const rankBound = (scores: readonly number[]) =>
  boundNamed(
    'ranks',
    scores.map((score) => verdict(ranksWith(score))),
  )

test('a score that rivals surely beat breaks the bound, in each role and for each target and rival', () => {
  expect(rankBound([0.1, 0.11, 0.09])?.breaches).toHaveLength(2 * 3 * 4)
  expect(rankBound([0.1, 0.11, 0.09])?.breaches[0]).toMatch(/^takers, visible: score - raw is -0\.100/)
})

test('a score that is better, or not surely worse, does not', () => {
  expect(rankBound([0.3, 0.31, 0.29])?.breaches).toEqual([])
  expect(rankBound([0.1, 0.31, 0.15])?.breaches).toEqual([])
})

test('a world without a figure of one order is left out of its comparison', () => {
  const [first, ...others] = ranksWith(0.5)
  const [rivalry] = rivalsOf([ranksWith(0.3), [{ ...ranksWith(0.5)[0], spearman: null } as Rank, ...others]])
  expect(first?.order).toBe('score')
  expect(rivalry?.difference).toBeCloseTo(0.1)
})
