import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { discoveryRates } from '#scoring/metrics/clv/discovery_rates.ts'
import { shrink, type Style } from '#scoring/metrics/clv/shrinkage.ts'
import { quantile, summarize, type ClusterEdge } from '#scoring/metrics/clv/summarize.ts'
import { expectedOf, populations, unlike } from '#test/oracle/clv/populations.ts'

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

const taker: Style = { role: 'taker', both_sides_share: 0, net_share: 1 }
const maker: Style = { role: 'market_maker', both_sides_share: 1, net_share: 0.5 }
const poster: Style = { role: 'poster', both_sides_share: 0, net_share: 1 }
const of = (clusters: readonly ClusterEdge[], style = taker) => ({ ...summarize(clusters), ...style })
const shrinkTakers = (...traders: (readonly ClusterEdge[])[]) => shrink(traders.map((clusters) => of(clusters)))

describe('all traders', () => {
  test('three of one mean are not sure of it', () => {
    const { population, scores } = shrinkTakers(ten(2), ten(2), ten(2)) ?? {}
    // s2 = 10/9 of both and their prices, v = 1/9. The moment is below 0, its error sqrt(2 x 3 x 2/3 / 81) / 2 = 1/9.
    expect(population).toMatchObject({ n_traders: 3, n_pooled: 3, prior: { n_fitted: 3 } })
    expect(population?.s2).toBeCloseTo(10 / 9, 12)
    expect(population?.s2_price).toBeCloseTo(40 / 9, 12)
    expect(scores?.[0]?.tau2).toBeCloseTo(1 / 9, 12)
    expect(scores?.[0]).toMatchObject({ clv_points: expect.closeTo(2, 12), mu_points: expect.closeTo(2, 12) })
    expect(scores?.[0]?.se).toBeCloseTo(Math.sqrt(1 / 18), 12)
    expect(scores?.[0]?.skill_points).toBeCloseTo(0, 12)
  })

  test('with few clusters are shrunk the most', () => {
    const { scores = [] } = shrinkTakers(ten(2), ten(-2), [cluster(2)]) ?? {}
    const [first, , third] = scores
    expect(third?.raw_points).toBe(2)
    expect(third?.clv_points).toBeLessThan(first?.clv_points ?? 0)
    expect(third?.clv_points).toBeGreaterThan(third?.mu_points ?? Infinity)
    expect(third?.se).toBeGreaterThan(first?.se ?? Infinity)
  })

  test('of cheap tokens have less noise than those of even odds', () => {
    const cheap = { price_variance: 0.01 }
    const { scores = [] } = shrinkTakers(ten(2), ten(-2), [cluster(2)], [cluster(2, 1, cheap)]) ?? {}
    expect(scores[2]?.v).toBeCloseTo((scores[3]?.v ?? 0) * 25, 9)
  })

  test('have their own noise as far as they show it', () => {
    const quiet = ten(2).map((each) => ({ ...each, edge_points: 2 + (each.edge_points - 2) / 10 }))
    const { scores = [], population } = shrinkTakers(ten(0), ten(1), quiet) ?? {}
    // Nine free clusters of a variance near 0 beside four of the prices'.
    const prior = (population?.s2_price ?? 0) * 0.25
    expect(scores[2]?.v).toBeCloseTo((4 * prior + (9 * 0.01 * 10) / 9) / 13 / 10, 9)
  })

  test('have an interval that is the wider, the fewer clusters they have', () => {
    const { scores = [] } = shrinkTakers(ten(2), ten(-2), [cluster(2)]) ?? {}
    const widths = scores.map(({ raw_lower, raw_upper, v }) => (raw_upper - raw_lower) / 2 / Math.sqrt(v))
    // Student's t with 13 and with 4 degrees of freedom, from a printed table.
    expect(widths).toEqual([expect.closeTo(2.16, 3), expect.closeTo(2.16, 3), expect.closeTo(2.776, 2)])
    expect(scores[0]?.raw_lower).toBeLessThan(2)
    expect(scores[0]?.raw_upper).toBeGreaterThan(2)
  })

  test('are shrunk towards their role, and skill is what exceeds it', () => {
    const makers = Array.from({ length: 10 }, (_, i) => of(ten(2 + i / 10, { maker_usd: 1 }), maker))
    const posters = Array.from({ length: 10 }, (_, i) => of(ten(0.5 + i / 10, { maker_usd: 1 }), poster))
    const takers = Array.from({ length: 10 }, (_, i) => of(ten(-1 - i / 10)))
    const { population, scores = [] } = shrink([...makers, ...posters, ...takers, of([cluster(-1.45)])]) ?? {}
    expect(population?.prior.line.coefficients.slice(0, 2)).toEqual([expect.closeTo(-1.45, 9), expect.closeTo(2.4, 9)])
    const means = [0, 10, 20, 30].map((i) => scores[i]?.mu_points)
    expect(means).toEqual([2.45, 0.95, -1.45, -1.45].map((mean) => expect.closeTo(mean, 9)))
    // A maker of 2 is below the makers, a poster of 1.4 above the posters. Takers lose: theirs counts from 0.
    expect(scores[0]?.skill_points).toBeLessThan(0)
    expect(scores[19]?.skill_points).toBeGreaterThan(0)
    expect(scores[19]?.skill_points).toBeLessThan(0.45)
    expect(scores[20]?.skill_points).toBe(scores[20]?.clv_points)
    expect([scores[9]?.p_above, scores[19]?.p_above].every((p = 1) => p < 0.15)).toBe(true)
    expect(scores[0]?.p_above).toBeGreaterThan(0.85)
  })

  test('of a role have the variance of that role', () => {
    const spread = Array.from({ length: 10 }, (_, i) => of(ten(i % 2 === 0 ? 3 : -3)))
    const alike = Array.from({ length: 10 }, (_, i) => of(ten(1 + (i % 2) / 10, { maker_usd: 1 }), poster))
    const single = of([cluster(1, 1, { maker_usd: 1 })], { ...maker, both_sides_share: 0, net_share: 1 })
    const { scores = [] } = shrink([...spread, ...alike, single]) ?? {}
    // 10 residuals of 3, of each a tenth is taken up: 90 / 9 - 1/9.
    expect(scores[0]?.tau2).toBeCloseTo(10 - 1 / 9, 9)
    expect(scores[10]?.tau2).toBeLessThan(0.1)
    // Of market makers none is fitted: all together.
    expect(scores[20]?.tau2).toBeCloseTo((90 + 10 * 0.05 ** 2) / 18 - 1 / 9, 9)
  })

  test('of a role have the variance of those with a like sample, from 60 traders on', () => {
    // Of 20 clusters they differ by 3, of 10 by none.
    const twenty = (mean: number): ClusterEdge[] => [...ten(mean), ...ten(mean)]
    const few = (n: number) => Array.from({ length: n }, () => of(ten(0)))
    const many = (n: number) => Array.from({ length: n }, (_, i) => of(twenty(i % 2 === 0 ? 3 : -3)))
    const apart = shrink([...many(30), ...few(30), of([cluster(0)])])?.scores ?? []
    expect(apart[0]?.tau2).toBeGreaterThan(8)
    expect(apart[30]?.tau2).toBeLessThan(0.1)
    // Who has too few clusters is with those of the fewest.
    expect(apart[60]?.tau2).toBe(apart[30]?.tau2)
    const together = shrink([...many(30), ...few(29)])?.scores ?? []
    expect(together[0]?.tau2).toBe(together[30]?.tau2)
  })

  test('of ten clusters decide about roles where there are ten such traders', () => {
    const large = Array.from({ length: 10 }, () => of(ten(1)))
    const small = Array.from({ length: 30 }, () => of([cluster(9), cluster(9.5)]))
    expect(shrink([...large, ...small])?.population.prior).toMatchObject({ n_fitted: 10 })
    expect(shrink([...large, ...small])?.scores[20]?.mu_points).toBeCloseTo(1, 9)
    expect(shrink([...large.slice(1), ...small])?.population.prior).toMatchObject({ n_fitted: 39 })
  })

  test('without a trader with ten clusters, or without noise, chance cannot be estimated', () => {
    expect(shrinkTakers(ten(1).slice(1), [cluster(3)])).toBeUndefined()
    expect(shrinkTakers()).toBeUndefined()
    expect(shrinkTakers(Array.from({ length: 10 }, () => cluster(1)))).toBeUndefined()
  })
})

test('scores and rates are those of the oracle', () => {
  const seen = { sloped: 0, tested: 0, own: 0 }
  const arithmetic = { shrink, summarize, discoveryRates }
  fc.assert(
    fc.property(populations(1, 50), (kinds) => {
      expect(unlike(arithmetic, kinds)).toEqual([])
      for (const traders of kinds) {
        const { b, traders: expected } = expectedOf(traders) ?? { b: [], traders: [] }
        if (b.slice(1).some((each) => each !== 0)) seen.sloped++
        if (new Set(expected.map(({ tau2 }) => tau2)).size > 1) seen.own++
        if (traders.length > 20) seen.tested++
      }
    }),
    { numRuns: 40, seed: 7 },
  )
  for (const n of Object.values(seen)) expect(n).toBeGreaterThan(10)
})

const shrunkOf = (traders: Parameters<typeof expectedOf>[0]) =>
  shrink(traders.map((trader) => ({ ...trader, ...summarize(trader.clusters) })))

test('a score lies between its own mean and that of its role; so does its error', () => {
  fc.assert(
    fc.property(populations(1, 16), ([traders = []]) => {
      const { scores = [] } = shrunkOf(traders) ?? {}
      for (const { clv_points, raw_points, mu_points, mu_se, v, tau2, se, n_eff, n_clusters } of scores) {
        const slack = 1e-9 * (1 + Math.abs(raw_points) + Math.abs(mu_points))
        expect(clv_points).toBeGreaterThanOrEqual(Math.min(raw_points, mu_points) - slack)
        expect(clv_points).toBeLessThanOrEqual(Math.max(raw_points, mu_points) + slack)
        expect(se * se).toBeLessThanOrEqual(Math.min(tau2, v) + mu_se * mu_se + slack)
        expect(n_eff).toBeLessThanOrEqual(n_clusters + 1e-9)
      }
    }),
    { numRuns: 60 },
  )
})

test('it does not matter in what currency the risk is, and points move along', () => {
  fc.assert(
    fc.property(populations(1, 16), fc.double({ min: -9, max: 9, noNaN: true }), ([traders = []], shift) => {
      const moved = traders.map((trader) => ({
        ...trader,
        clusters: trader.clusters.map((each) => ({
          ...each,
          edge_points: each.edge_points + shift,
          risk_usd: each.risk_usd * 100,
          maker_usd: each.maker_usd * 100,
        })),
      }))
      const [before, after] = [shrunkOf(traders), shrunkOf(moved)]
      expect(after === undefined).toBe(before === undefined)
      for (const [index, { clv_points, se }] of (before?.scores ?? []).entries()) {
        expect(after?.scores[index]?.clv_points).toBeCloseTo(clv_points + shift, 6)
        expect(after?.scores[index]?.se).toBeCloseTo(se, 5)
      }
    }),
    { numRuns: 60 },
  )
})
