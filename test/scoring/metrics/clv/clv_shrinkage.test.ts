import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { shrink } from '#scoring/metrics/clv/shrinkage.ts'
import { quantile, summarize, type ClusterEdge } from '#scoring/metrics/clv/summarize.ts'
import { population } from '#test/oracle/clv/population.ts'

const cluster = (edge_points: number, risk_usd = 1, more: Partial<ClusterEdge> = {}): ClusterEdge => ({
  edge_points,
  risk_usd,
  maker_usd: 0,
  price_variance: 0.25,
  ...more,
})
/** Ten clusters of the same size around a mean, one point to either side. */
const ten = (mean: number, more: Partial<ClusterEdge> = {}): ClusterEdge[] =>
  Array.from({ length: 10 }, (_, n) => cluster(mean + (n % 2 === 0 ? 1 : -1), 1, more))

describe('one trader', () => {
  test('clusters weigh what was at risk in them, up to the 95th percentile of the trader’s own', () => {
    // Sorted 1, 1, 2, 96: the percentile lies at place 2.85, hence 2 + 0.85 x 94 = 81.9.
    const { raw_points, n_eff, n_clusters } = summarize([cluster(1), cluster(2, 96), cluster(3), cluster(4, 2)])
    expect(n_clusters).toBe(4)
    expect(raw_points).toBeCloseTo((1 + 2 * 81.9 + 3 + 4 * 2) / (1 + 81.9 + 1 + 2), 12)
    expect(n_eff).toBeCloseTo((1 + 81.9 + 1 + 2) ** 2 / (1 + 81.9 ** 2 + 1 + 4), 12)
  })

  test('the variance of the mean is that of its clusters', () => {
    // n / (n - 1) sum W^2 (x - raw)^2 / (sum W)^2 = 10/9 x 10/100; f = 10/9 (1 - 2/10 + 1/10) = 1
    expect(summarize(ten(2))).toEqual({
      n_clusters: 10,
      n_eff: 10,
      raw_points: 2,
      variance: expect.closeTo(1 / 9, 12),
      variance_factor: expect.closeTo(1, 12),
      price_variance: expect.closeTo(0.25, 12),
      maker_share: 0,
    })
    expect(summarize([cluster(2)])).toMatchObject({ variance: 0, variance_factor: 0 })
  })

  test('its factor is what uneven weights leave of it', () => {
    // Weights 1, 1, 2: sum 4, squares 6, cubes 10; 3/2 (1 - 20/24 + 6/16) = 13/16. The cap is at place 1.9: 1.9.
    const weights = [1, 1, 1.9]
    const [sum, squares, cubes] = [3.9, 5.61, 8.859]
    const { variance_factor } = summarize(weights.map((risk) => cluster(0, risk === 1.9 ? 2 : risk)))
    expect(variance_factor).toBeCloseTo(1.5 * (1 - (2 * cubes) / (sum * squares) + squares / sum ** 2), 12)
  })

  test('the factor and the variance keep their digits beside one cluster with almost all the weight', () => {
    // Twelve clusters, of which the cap of the last is .55 x 1e9 + .45 e. With weights e and W, and edges 0 but for -1
    // of one: each of the others counts by e^2 (W^2 + W^2), the last by W^2 ((11 e)^2 + 11 e^2), all over W^4.
    const e = 1e-6
    const W = e + 0.45 * (1e9 - e)
    const edges = [...Array.from({ length: 11 }, (_, i) => cluster(i === 3 ? -1 : 0, e)), cluster(0, 1e9)]
    const { variance, variance_factor } = summarize(edges)
    const exact = (12 / 11) * (11 * 2 + 121 + 11) * (e / W) ** 2
    expect(variance_factor / exact).toBeCloseTo(1, 9)
    expect(variance / ((12 / 11) * 2 * (e / W) ** 2)).toBeCloseTo(1, 9)
  })

  test('the made share is weighted by the cash at risk, p (1 - p) by its square', () => {
    const clusters = [cluster(0, 1, { price_variance: 0.25 }), cluster(0, 1, { price_variance: 0.09, maker_usd: 0.5 })]
    expect(summarize(clusters)).toMatchObject({ maker_share: 0.25, price_variance: expect.closeTo(0.17, 12) })
  })

  test.each([
    [[5], 5],
    [[3, 1], 2.9],
    [[1, 2, 3], 2.9],
    [Array.from({ length: 21 }, (_, n) => n), 19],
  ])('the percentile of %j is %d', (numbers, expected) => {
    expect(quantile(numbers, 0.95)).toBeCloseTo(expected, 12)
  })
})

describe('all traders', () => {
  test('two far apart, by hand', () => {
    const { population, scores } = shrink([ten(2), ten(-2)]) ?? {}
    // s2 = 10/9 of both and their prices, v = 1/9, a = 9; Q = 9 x 4 x 2 = 72, A = 18: tau2 = (72 - 1) / (18 - 162 / 18)
    // = 71/9
    expect(population).toMatchObject({ n_traders: 2, n_pooled: 2 })
    expect(population?.s2).toBeCloseTo(10 / 9, 12)
    expect(population?.tau2).toBeCloseTo(71 / 9, 12)
    expect(population?.s2_price).toBeCloseTo(40 / 9, 12)
    expect(population?.b0).toBeCloseTo(0, 12)
    expect(population?.b1).toBe(0)
    // tau2 / (tau2 + v) = 71/72
    expect(scores?.map(({ clv_points }) => clv_points)).toEqual([
      expect.closeTo(142 / 72, 12),
      expect.closeTo(-142 / 72, 12),
    ])
    expect(scores?.[0]?.se).toBeCloseTo(Math.sqrt((71 / 72) * (1 / 9)), 12)
  })

  test('traders with few clusters are shrunk the most', () => {
    const { population, scores = [] } = shrink([ten(2), ten(-2), [cluster(2)]]) ?? {}
    const [first, , third] = scores
    expect(third?.raw_points).toBe(2)
    expect(third?.clv_points).toBeLessThan(first?.clv_points ?? 0)
    expect(third?.clv_points).toBeGreaterThan(population?.b0 ?? Infinity)
    expect(third?.se).toBeGreaterThan(first?.se ?? Infinity)
  })

  test('traders that differ by no more than chance have equal scores', () => {
    const { population, scores } = shrink([ten(0.1), ten(-0.1)]) ?? {}
    expect(population?.tau2).toBe(0)
    expect(scores?.map(({ clv_points, se }) => [clv_points, se])).toEqual([
      [population?.b0, 0],
      [population?.b0, 0],
    ])
  })

  test('of cheap tokens have less noise than those of even odds', () => {
    const cheap = { price_variance: 0.01 }
    const { scores = [] } = shrink([ten(2), ten(-2), [cluster(2)], [cluster(2, 1, cheap)]]) ?? {}
    expect(scores[2]?.v).toBeCloseTo((scores[3]?.v ?? 0) * 25, 9)
  })

  test('have their own noise as far as they show it', () => {
    const quiet = ten(2).map((each) => ({ ...each, edge_points: 2 + (each.edge_points - 2) / 10 }))
    const { scores = [], population: of } = shrink([ten(0), ten(1), quiet]) ?? {}
    // Nine free clusters of a variance near 0 beside four of the prices'.
    const prior = (of?.s2_price ?? 0) * 0.25
    expect(scores[2]?.v).toBeCloseTo((4 * prior + (9 * 0.01 * 10) / 9) / 13 / 10, 9)
  })

  test('have an interval that is the wider, the fewer clusters they have', () => {
    const { scores = [] } = shrink([ten(2), ten(-2), [cluster(2)]]) ?? {}
    const widths = scores.map(({ raw_lower, raw_upper, v }) => (raw_upper - raw_lower) / 2 / Math.sqrt(v))
    // Student's t with 13 and with 4 degrees of freedom, from a printed table.
    expect(widths).toEqual([expect.closeTo(2.16, 3), expect.closeTo(2.16, 3), expect.closeTo(2.776, 2)])
    expect(scores[0]?.raw_lower).toBeLessThan(2)
    expect(scores[0]?.raw_upper).toBeGreaterThan(2)
  })

  test('are shrunk towards makers or takers', () => {
    const makers = Array.from({ length: 10 }, (_, i) => ten(1 + i / 10, { maker_usd: 1 }))
    const takers = Array.from({ length: 10 }, (_, i) => ten(-1 - i / 10))
    const { population: of, scores = [] } = shrink([...makers, ...takers, [cluster(-1.45)]]) ?? {}
    expect(of?.b0).toBeCloseTo(-1.45, 9)
    expect(of?.b1).toBeCloseTo(2.9, 9)
    expect([scores[0]?.mu_points, scores[20]?.mu_points]).toEqual([expect.closeTo(1.45, 9), expect.closeTo(-1.45, 9)])
  })

  test('without a trader with ten clusters, or without noise, chance cannot be estimated', () => {
    expect(shrink([ten(1).slice(1), [cluster(3)]])).toBeUndefined()
    expect(shrink([])).toBeUndefined()
    expect(shrink([Array.from({ length: 10 }, () => cluster(1))])).toBeUndefined()
  })
})

const arbitraryCluster = fc
  .record({
    edge_points: fc.integer({ min: -50_000, max: 50_000 }).map((thousandths) => thousandths / 1000),
    risk_usd: fc.oneof(fc.integer({ min: 100, max: 999 }), fc.double({ min: 0.01, max: 1e4, noNaN: true })),
    made: fc.constantFrom(0, 0.5, 1),
    price_variance: fc.double({ min: 0.0196, max: 0.25, noNaN: true }),
  })
  .map(({ made, ...rest }): ClusterEdge => ({ ...rest, maker_usd: rest.risk_usd * made }))
const arbitraryTraders = fc.array(fc.array(arbitraryCluster, { minLength: 1, maxLength: 40, size: 'max' }), {
  minLength: 1,
  maxLength: 16,
  size: 'max',
})

test('scores and rates are those of the oracle', () => {
  const seen = { sloped: 0, tested: 0, spread: 0 }
  fc.assert(
    fc.property(arbitraryTraders, (traders) => {
      const shrunk = shrink(traders)
      const name = (trader: number): string => `t${String(trader).padStart(2, '0')}`
      const terms = traders.flatMap((clusters, trader) => {
        const cap = quantile(
          clusters.map(({ risk_usd }) => risk_usd),
          0.95,
        )
        return clusters.map(({ edge_points, risk_usd, price_variance }, i) => ({
          trader: name(trader),
          cluster: name(i),
          x: edge_points,
          W: Math.min(risk_usd, cap),
          price_variance,
        }))
      })
      const total = (clusters: ClusterEdge[], of: (each: ClusterEdge) => number): number =>
        clusters.reduce((sum, each) => sum + of(each), 0)
      const makers = new Map(
        traders.map((clusters, trader): [string, number] => [
          name(trader),
          total(clusters, ({ maker_usd }) => maker_usd) / total(clusters, ({ risk_usd }) => risk_usd),
        ]),
      )
      const expected = population(terms, makers)
      expect(shrunk === undefined).toBe(expected === null)
      if (shrunk === undefined || expected === null) return
      for (const figure of ['s2', 'tau2', 'b0', 'b1'] as const) close(shrunk.population[figure], expected[figure])
      for (const [i, score] of shrunk.scores.entries()) {
        const of = expected.traders[i]
        close(score.clv_points, of?.clv)
        close(score.mu_points, of?.mu)
        close(score.v, of?.v)
        close(score.se, of?.se)
        const rates = expected.rates[i]
        for (const [rate, wanted] of [
          [score.q, rates?.above],
          [score.q_below, rates?.below],
          [score.q_wide, rates?.wide],
        ]) {
          if (rate === null) expect(wanted).toBeNull()
          else close(rate ?? Number.NaN, wanted ?? undefined)
        }
        if (score.q !== null && score.q < 0.99) seen.tested++
      }
      if (shrunk.population.b1 !== 0) seen.sloped++
      if (shrunk.population.tau2 > 0) seen.spread++
    }),
    { numRuns: 150, seed: 7 },
  )
  for (const n of Object.values(seen)) expect(n).toBeGreaterThan(20)
})

function close(actual: number, expected = Number.NaN): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)))
}

test('a score lies between its own mean and that of its prior; its error is within both', () => {
  fc.assert(
    fc.property(arbitraryTraders, (traders) => {
      const shrunk = shrink(traders)
      fc.pre(shrunk !== undefined)
      const { tau2 } = shrunk.population
      for (const { clv_points, raw_points, mu_points, v, se, n_eff, n_clusters } of shrunk.scores) {
        const slack = 1e-9 * (1 + Math.abs(raw_points) + Math.abs(mu_points))
        expect(clv_points).toBeGreaterThanOrEqual(Math.min(raw_points, mu_points) - slack)
        expect(clv_points).toBeLessThanOrEqual(Math.max(raw_points, mu_points) + slack)
        expect(se * se).toBeLessThanOrEqual(Math.min(tau2, v) + slack)
        expect(n_eff).toBeLessThanOrEqual(n_clusters + 1e-9)
      }
    }),
    { numRuns: 200 },
  )
})

test('it does not matter in what currency the risk is, and points move along', () => {
  fc.assert(
    fc.property(arbitraryTraders, fc.double({ min: -9, max: 9, noNaN: true }), (traders, shift) => {
      const moved = traders.map((clusters) =>
        clusters.map((each) => ({
          ...each,
          edge_points: each.edge_points + shift,
          risk_usd: each.risk_usd * 100,
          maker_usd: each.maker_usd * 100,
        })),
      )
      const [before, after] = [shrink(traders), shrink(moved)]
      fc.pre(before !== undefined && after !== undefined)
      for (const [index, { clv_points, se }] of before.scores.entries()) {
        expect(after.scores[index]?.clv_points).toBeCloseTo(clv_points + shift, 6)
        expect(after.scores[index]?.se).toBeCloseTo(se, 5)
      }
    }),
    { numRuns: 200 },
  )
})
