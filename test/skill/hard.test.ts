import { beforeAll, describe, expect, test } from 'vitest'

import { sized, slack } from '#test/run/sized.ts'

import { judgeHard, type HardVerdict, type Shares } from './hard_judge.ts'
import { biasesOf, poolOf, totalOf, wilsonOf, type Share } from './hard_pool.ts'

const n_full = 20
const seeds = Array.from({ length: sized(2, n_full) }, (_, n) => n + 1)
const isFull = seeds.length === n_full
const verdicts: HardVerdict[] = []

/** Two worlds at a time: while one is scored the other one is made. */
beforeAll(async () => {
  const left = [...seeds]
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) verdicts.push(await judgeHard(seed, 1))
  }
  await Promise.all([work(), work()])
}, 1_800_000)

const pooled = (of: (verdict: HardVerdict) => Shares): Map<string, Share> => poolOf(verdicts, of)
const slackOf = (bound: number, n: number): number => slack(bound, { n, part: seeds.length / n_full })

describe(`sharp, in ${seeds.length} hard worlds`, () => {
  test('is a false discovery at most once in ten', () => {
    const sharps = totalOf(pooled(({ falseSharps }) => falseSharps))
    expect(sharps.of).toBeGreaterThan(8 * seeds.length)
    expect(sharps.n / sharps.of).toBeLessThanOrEqual(0.1 + slackOf(0.1, sharps.of))
    if (isFull) expect(wilsonOf(sharps).upper).toBeLessThanOrEqual(0.15)
  })

  test('is said of most who have an edge of 3 points and more', () => {
    const skilled = totalOf(pooled(({ power }) => power))
    expect(skilled.of).toBeGreaterThan(4 * seeds.length)
    expect(skilled.n / skilled.of).toBeGreaterThanOrEqual(0.6)
  })
})

describe('the 95 % interval of a raw value', () => {
  test('holds the planted one in 92 of 100 cases, whatever the archetype and the price', () => {
    const covered = pooled((verdict) => verdict.covered)
    expect(covered.size).toBeGreaterThan(20)
    for (const [name, { n, of }] of covered)
      expect(n / of, `${name}: ${n} of ${of}`).toBeGreaterThanOrEqual(0.92 - slackOf(0.92, of))
  })
})

describe('the edge of a fill', () => {
  test('is the planted one on average, by kind, side and price, within 4 standard errors', () => {
    const biases = biasesOf(verdicts)
    expect(biases).toHaveLength(28)
    for (const { name, n_worlds, mean, se } of biases) {
      // Two worlds do not show how much worlds differ: there the mean is bounded alone.
      // Four, since there are 28 of them, and prices near 0 jump.
      const bound = isFull ? 4 * se : 8
      expect(Math.abs(mean), `${name}: ${mean} of ${n_worlds} worlds`).toBeLessThanOrEqual(bound)
    }
  })
})

describe('wash trades', () => {
  test('of planted pairs are found, and those of makers and of ordinary pairs are not taken for them', () => {
    const { precision, recall } = Object.fromEntries(pooled(({ washes }) => washes))
    if (precision === undefined || recall === undefined) throw new Error('there is no trader who washes')
    expect(recall.of).toBeGreaterThan(4 * seeds.length)
    expect(recall.n / recall.of).toBeGreaterThanOrEqual(0.9 - slackOf(0.9, recall.of))
    expect(precision.n / precision.of).toBeGreaterThanOrEqual(0.95 - slackOf(0.95, precision.of))
  })
})

test('guards hold, but for the one in a hundred that chance breaks', () => {
  const guards = verdicts.flatMap((verdict) => verdict.guards)
  expect(guards).toHaveLength(4 * seeds.length)
  expect(guards.filter(({ is_held }) => is_held === null)).toEqual([])
  expect(guards.filter(({ is_held }) => is_held === false).length).toBeLessThanOrEqual(Math.ceil(0.05 * guards.length))
})
