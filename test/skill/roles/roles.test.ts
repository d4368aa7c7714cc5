import { beforeAll, expect, test } from 'vitest'

import { totalOf, wilsonOf } from '#test/skill/hard_pool.ts'

import { acceptance, poolShares } from './role_bounds.ts'
import { judgeRoles, type RoleVerdict, type Shares } from './role_judge.ts'

/** One of the worlds of which `npm run soak -- skill` has twenty. */
let verdict: RoleVerdict
beforeAll(async () => {
  verdict = await judgeRoles({ seed: 1, scale: 0.75, hasRanks: false })
}, 600_000)

/** The interval of a share of a world, which may be a share of nobody. */
function boundsOf(pick: (verdict: RoleVerdict) => Shares): { n: number; lower: number; upper: number } {
  const share = totalOf(poolShares([verdict], pick))
  return { n: share.of, ...wilsonOf(share) }
}

test('sharp traders of a world of roles have skill beyond their role that closes see', () => {
  const [skill, edge] = [boundsOf((each) => each.falseSharps), boundsOf((each) => each.invisibleSharps)]
  expect(skill.n).toBeGreaterThan(2)
  expect(skill.lower).toBeLessThanOrEqual(acceptance.false_sharps)
  expect(edge.lower).toBeLessThanOrEqual(acceptance.invisible_sharps)
})

test('half of the skilled are sharp, and most of the first are skilled', () => {
  const [power, first] = [boundsOf((each) => each.power), boundsOf((each) => each.first)]
  expect(Math.min(power.n, first.n)).toBeGreaterThan(5)
  expect(power.upper).toBeGreaterThanOrEqual(acceptance.power)
  expect(first.lower).toBeGreaterThanOrEqual(acceptance.first - 0.2)
})

test('intervals hold the true value in each role', () => {
  const [least, most] = acceptance.covered
  const shares = verdict.covered.filter(({ name }) => name.startsWith('role '))
  expect(shares).toHaveLength(2)
  for (const share of shares) {
    const { lower, upper } = wilsonOf(share)
    expect(lower).toBeLessThanOrEqual(most)
    expect(upper).toBeGreaterThanOrEqual(least)
  }
})
