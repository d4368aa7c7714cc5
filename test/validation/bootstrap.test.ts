import { describe, expect, it } from 'vitest'

import { bootstrap, difference, estimateOf, meanOf, type Sampled } from '#validation/bootstrap.ts'
import { correlationOfRanks, midRanks, rankingOf, type Counts } from '#validation/ranking.ts'

const x = [3.1, -2, 0, 3.1, 5.5, 1, 1, 1, -7, 4.25, 0, 2.5]
const y = [1.5, -1, 0.25, 2, 3, 0.25, -4, 0.25, -3, 1.5, -0.5, 9]
const z = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

const [ofX, ofY, ofZ] = [x, y, z].map((values) => rankingOf(Float64Array.from(values)))
const correlations = (counts: Counts): number[] =>
  [ofX, ofZ].map((ranking) => {
    if (ranking === undefined || ofY === undefined) throw new Error('no ranking')
    return correlationOfRanks(midRanks(ranking, counts), midRanks(ofY, counts), counts)
  })
const mean = (counts: Counts): number[] => [
  counts.reduce((sum, count, row) => sum + count * (x[row] ?? 0), 0) / x.length,
]
const sampleOf = (value: number, draws: number[]): Sampled => ({ value, draws: Float64Array.from(draws) })

describe('the bootstrap', () => {
  it('has the percentiles of scipy and numpy on the same draws, around the figure, and so has the difference', () => {
    const [a, b] = bootstrap(x.length, correlations, { n_resamples: 500, seed: 7 })
    if (a === undefined || b === undefined) throw new Error('two figures are expected')
    const expected = [
      [a, 0.7932276416703553, 0.4356981331358552, 0.9775841094051515],
      [b, 0.01763737008548439, -0.6234736194895496, 0.5985435137586521],
      [difference(a, b), 0.7932276416703553 - 0.01763737008548439, 0.03630459706783506, 1.4880099903632826],
    ] as const
    for (const [sampled, value, lower, upper] of expected) {
      const estimate = estimateOf(sampled)
      expect(estimate?.value).toBeCloseTo(value, 12)
      const centre = sampled.draws.reduce((sum, draw) => sum + draw, 0) / sampled.draws.length
      expect(estimate?.lower).toBeCloseTo(lower - centre + value, 12)
      expect(estimate?.upper).toBeCloseTo(upper - centre + value, 12)
    }
  })

  it('draws as many rows as there are, the same by the same seed and others by another', () => {
    const sizes: number[] = []
    const look = (counts: Counts): number[] => {
      sizes.push(counts.reduce((sum, count) => sum + count, 0))
      return mean(counts)
    }
    const [first] = bootstrap(x.length, look, { n_resamples: 50, seed: 3 })
    expect(new Set(sizes)).toEqual(new Set([x.length]))
    expect(bootstrap(x.length, mean, { n_resamples: 50, seed: 3 })[0]).toEqual(first)
    expect(bootstrap(x.length, mean, { n_resamples: 50, seed: 4 })[0]?.draws).not.toEqual(first?.draws)
  })

  it('gives a mean the spread that theory does', () => {
    const [sampled] = bootstrap(x.length, mean, { n_resamples: 20_000, seed: 1 })
    const center = mean(new Uint32Array(x.length).fill(1))[0] ?? Number.NaN
    const variance = x.reduce((sum, value) => sum + (value - center) ** 2, 0) / x.length ** 2
    const draws = [...(sampled?.draws ?? [])]
    const spread = draws.reduce((sum, draw) => sum + (draw - center) ** 2, 0) / draws.length
    expect(spread / variance).toBeGreaterThan(0.95)
    expect(spread / variance).toBeLessThan(1.05)
  })
})

describe('an estimate', () => {
  it('has no interval where a draw does not have the figure, or the figure is not there itself', () => {
    expect(estimateOf(sampleOf(1, [1, Number.NaN]))).toBeNull()
    expect(estimateOf(sampleOf(Number.NaN, [1, 2]))).toBeNull()
    expect(estimateOf(sampleOf(1, []))).toBeNull()
    expect(estimateOf(sampleOf(5, [0, 10, 20, 30, 40]))).toEqual({ value: 5, lower: -14, upper: 24 })
  })

  it('of several samples is of their mean, draw by draw', () => {
    const pooled = meanOf([sampleOf(1, [0, 4]), sampleOf(3, [2, 8])])
    expect(pooled.value).toBe(2)
    expect([...pooled.draws]).toEqual([1, 6])
  })
})
