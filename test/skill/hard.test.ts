import { beforeAll, describe, expect, test } from 'vitest'

import { sized, slack } from '#test/run/sized.ts'

import { judgeHard, type HardVerdict, type Shares } from './hard_judge.ts'

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

/** The shares of all worlds together, by name. */
function pooled(of: (verdict: HardVerdict) => Shares): Map<string, { n: number; of: number }> {
  const sums = new Map<string, { n: number; of: number }>()
  for (const each of verdicts.flatMap(of)) {
    const sum = sums.get(each.name) ?? { n: 0, of: 0 }
    sums.set(each.name, { n: sum.n + each.n, of: sum.of + each.of })
  }
  return sums
}
const total = (shares: Map<string, { n: number; of: number }>): { n: number; of: number } =>
  [...shares.values()].reduce((sum, one) => ({ n: sum.n + one.n, of: sum.of + one.of }), { n: 0, of: 0 })
const slackOf = (bound: number, n: number): number => slack(bound, { n, part: seeds.length / n_full })

/** Wilson's upper bound of a share, 95 % of both sides. */
function upperOf({ n, of }: { n: number; of: number }): number {
  const [p, z2] = [n / of, 1.96 ** 2]
  return (p + z2 / (2 * of) + 1.96 * Math.sqrt((p * (1 - p)) / of + z2 / (4 * of * of))) / (1 + z2 / of)
}

describe(`sharp, in ${seeds.length} hard worlds`, () => {
  test('is a false discovery at most once in ten', () => {
    const sharps = total(pooled(({ falseSharps }) => falseSharps))
    expect(sharps.of).toBeGreaterThan(8 * seeds.length)
    expect(sharps.n / sharps.of).toBeLessThanOrEqual(0.1 + slackOf(0.1, sharps.of))
    if (isFull) expect(upperOf(sharps)).toBeLessThanOrEqual(0.15)
  })

  test('is said of most who have an edge of 3 points and more', () => {
    const skilled = total(pooled(({ power }) => power))
    expect(skilled.of).toBeGreaterThan(4 * seeds.length)
    expect(skilled.n / skilled.of).toBeGreaterThanOrEqual(0.6)
  })
})

describe('the 95 % interval of a raw value', () => {
  test('holds the planted one in 90 of 100 cases, whatever the archetype and the price', () => {
    const covered = pooled((verdict) => verdict.covered)
    expect(covered.size).toBeGreaterThan(20)
    for (const [name, { n, of }] of covered)
      expect(n / of, `${name}: ${n} of ${of}`).toBeGreaterThanOrEqual(0.9 - slackOf(0.9, of))
  })
})

describe('the edge of a fill', () => {
  test('is the planted one on average, by kind, side and price, within 4 standard errors', () => {
    const names = new Set(verdicts.flatMap(({ biases }) => biases.map(({ name }) => name)))
    expect(names.size).toBe(28)
    for (const name of names) {
      const offs = verdicts.flatMap(({ biases }) => biases.filter((each) => each.name === name).map(({ off }) => off))
      const mean = offs.reduce((sum, off) => sum + off, 0) / offs.length
      const variance = offs.reduce((sum, off) => sum + (off - mean) ** 2, 0) / (offs.length - 1)
      // Two worlds do not show how much worlds differ: there the mean is bounded alone.
      // Four, since there are 28 of them, and prices near 0 jump.
      const bound = isFull ? 4 * Math.sqrt(variance / offs.length) : 8
      expect(Math.abs(mean), `${name}: ${mean} of ${offs.length} worlds`).toBeLessThanOrEqual(bound)
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
