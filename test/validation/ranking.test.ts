import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { correlationOfRanks, meansOfParts, midRanks, rankingOf, type Counts } from '#validation/ranking.ts'

const x = [3.1, -2, 0, 3.1, 5.5, 1, 1, 1, -7, 4.25, 0, 2.5]
const y = [1.5, -1, 0.25, 2, 3, 0.25, -4, 0.25, -3, 1.5, -0.5, 9]
const once = (n: number): Counts => new Uint32Array(n).fill(1)

const spearman = (a: readonly number[], b: readonly number[], counts: Counts = once(a.length)): number => {
  const ranksOf = (values: readonly number[]) => midRanks(rankingOf(Float64Array.from(values)), counts)
  return correlationOfRanks(ranksOf(a), ranksOf(b), counts)
}
const parts = (scores: readonly number[], came: readonly number[], n_parts: number, counts = once(scores.length)) =>
  meansOfParts(rankingOf(Float64Array.from(scores)), counts, Float64Array.from(came), n_parts)
/** Equal up to rounding; both are undefined for the same inputs. */
const expectAlike = (found: number | undefined, expected: number | undefined): void => {
  if (Number.isNaN(expected)) expect(found).toBeNaN()
  else expect(found).toBeCloseTo(expected ?? Number.NaN, 9)
}
/** Each entry as often as it counts. */
const spread = <T>(list: readonly T[], counts: readonly number[]): T[] =>
  list.flatMap((entry, index) => Array.from({ length: counts[index] ?? 0 }, () => entry))

describe('middle ranks', () => {
  it('are equal for equal values', () => {
    const ranks = midRanks(rankingOf(Float64Array.from(x)), once(x.length))
    // scipy.stats.rankdata
    expect([...ranks]).toEqual([9.5, 2, 3.5, 9.5, 12, 6, 6, 6, 1, 11, 3.5, 8])
  })

  it('take up as many places as a row counts', () => {
    const ranking = rankingOf(Float64Array.of(5, 1, 5))
    expect([...midRanks(ranking, Uint32Array.of(1, 2, 2))]).toEqual([4, 1.5, 4])
  })
})

describe("Spearman's correlation", () => {
  it('is that of scipy, with ties', () => {
    expect(spearman(x, y)).toBeCloseTo(0.7932276416703553, 14)
    const counts = Uint32Array.of(2, 0, 1, 3, 1, 0, 1, 1, 0, 2, 0, 1)
    expect(spearman(x, y, counts)).toBeCloseTo(0.4916308689731506, 14)
  })

  it('is 1 of one order, -1 of the opposite one, and none where nothing is ranked', () => {
    expect(spearman([1, 2, 3], [10, 20, 21])).toBe(1)
    expect(spearman([1, 2, 3], [3, 2, 1])).toBe(-1)
    expect(spearman([1, 1, 1], [1, 2, 3])).toBeNaN()
    expect(spearman([1, 2, 3], [1, 2, 3], Uint32Array.of(0, 4, 0))).toBeNaN()
    expect(spearman([], [])).toBeNaN()
  })

  const rows = fc.array(
    fc.record({ a: fc.integer({ min: -5, max: 5 }), b: fc.integer({ min: -5, max: 5 }), n: fc.nat({ max: 4 }) }),
    { minLength: 1, maxLength: 40 },
  )

  it('counts a row as often as if it stood there so often', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const [a, b, n] = [list.map((row) => row.a), list.map((row) => row.b), list.map((row) => row.n)]
        const counted = spearman(a, b, Uint32Array.from(n))
        expectAlike(counted, spearman(spread(a, n), spread(b, n)))
      }),
    )
  })

  it('looks at the order alone, and at both sides alike', () => {
    fc.assert(
      fc.property(rows, (list) => {
        const [a, b] = [list.map((row) => row.a), list.map((row) => row.b)]
        const found = spearman(a, b)
        const stretched = a.map((value) => Math.exp(value) - 3)
        expect(spearman(stretched, b)).toEqual(found)
        expect(spearman(b, a)).toEqual(found)
        expectAlike(spearman(a.toReversed(), b.toReversed()), found)
      }),
    )
  })
})

describe('means of parts', () => {
  it('go from the best to the worst', () => {
    expect(parts([1, 4, 2, 3], [10, 40, 20, 30], 2)).toEqual([35, 15])
    expect(parts([1, 4, 2, 3], [10, 40, 20, 30], 4)).toEqual([40, 30, 20, 10])
  })

  it('split a row at a boundary, by its share on each side', () => {
    // Of three rows and two parts the middle one is half in each.
    const [best, worst] = parts([3, 2, 1], [12, 6, 0], 2)
    expect(best).toBeCloseTo((12 + 3) / 1.5, 12)
    expect(worst).toBeCloseTo((3 + 0) / 1.5, 12)
  })

  it('split ties at a boundary in proportion', () => {
    // One place is left in the upper part for three of the same value.
    expect(parts([9, 5, 5, 5], [100, 3, 6, 9], 2)).toEqual([(100 + 6) / 2, 6])
  })

  it('skip traders without a known result, which stay in their places', () => {
    expect(parts([4, 3, 2, 1], [40, Number.NaN, 20, 10], 2)).toEqual([40, 15])
    expect(parts([4, 3, 2, 1], [Number.NaN, Number.NaN, 20, 10], 2)).toEqual([Number.NaN, 15])
  })

  it('are as if a row stood there as often as it counts, in any order of the rows', () => {
    const rows = fc.array(
      fc.record({
        score: fc.integer({ min: 0, max: 6 }),
        came: fc.integer({ min: -9, max: 9 }),
        n: fc.nat({ max: 3 }),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 10 }), (list, n_parts) => {
        const n = list.map((row) => row.n)
        const scores = list.map(({ score }) => score)
        const came = list.map((row) => row.came)
        const counted = parts(scores, came, n_parts, Uint32Array.from(n))
        const spelled = parts(spread(scores, n).toReversed(), spread(came, n).toReversed(), n_parts)
        for (const [part, mean] of counted.entries()) expectAlike(mean, spelled[part])
        const total = spread(came, n).reduce((sum, value) => sum + value, 0)
        expectAlike(counted.reduce((sum, mean) => sum + mean, 0) / n_parts, total / spread(n, n).length)
      }),
    )
  })
})
