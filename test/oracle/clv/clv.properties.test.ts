import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ScoredFill } from './closes.ts'
import { oracleClv, type ClusterSum } from './clv.ts'
import { chances, falseDiscoveryRates } from './false_discoveries.ts'
import { population, type ClusterTerm, type Population, type Style } from './population.ts'
import { worlds } from './worlds.ts'

/** Some traders with 1 to 15 clusters, the first with 10 or more. Weights are of any size, edges of any sign. */
const terms: fc.Arbitrary<ClusterTerm[]> = fc
  .array(fc.array(term(), { minLength: 1, maxLength: 15 }), { minLength: 1, maxLength: 6 })
  .chain((others) =>
    fc.array(term(), { minLength: 10, maxLength: 15 }).map((first) =>
      [first, ...others].flatMap((events, trader) =>
        events.map((each, cluster) => ({
          trader: `t${trader}`,
          cluster: `e${String(cluster).padStart(2, '0')}`,
          ...each,
        })),
      ),
    ),
  )

function term(): fc.Arbitrary<Omit<ClusterTerm, 'trader' | 'cluster'>> {
  return fc.record({
    x: fc.integer({ min: -40_000_000, max: 40_000_000 }).map((millionths) => millionths / 1e6),
    W: fc.integer({ min: 1, max: 1_000_000_000_000 }).map((millionths) => millionths / 1e6),
    price_variance: fc.constantFrom(0.25, 0.16, 0.0625),
  })
}

/** Of every second trader half of it was made, on both sides. */
const populationOf = (clusters: ClusterTerm[]): Population | null => {
  const traders = clusters.map(({ trader }) => ({ trader, isMaker: (trader.codePointAt(1) ?? 0) % 2 === 1 }))
  const styleOf = (isMaker: boolean): Style =>
    isMaker
      ? { role: 'market_maker', both_sides_share: 1, net_share: 0.25 }
      : { role: 'taker', both_sides_share: 0.5, net_share: 1 }
  return population(
    clusters,
    new Map(traders.map(({ trader, isMaker }) => [trader, isMaker ? 0.5 : 0])),
    new Map(traders.map(({ trader, isMaker }) => [trader, styleOf(isMaker)])),
  )
}

function scored(clusters: ClusterTerm[]): Population {
  const scores = populationOf(clusters)
  if (scores === null) throw new Error('clusters: too few; expected a trader with 10 clusters that vary')
  return scores
}

const holds = (claim: (events: ClusterTerm[]) => void): void =>
  fc.assert(
    fc.property(terms, (clusters) => {
      fc.pre(populationOf(clusters) !== null)
      claim(clusters)
    }),
    { numRuns: 200 },
  )

function expectClose(actual: number | undefined, expected = Infinity, scale = Math.abs(expected)): void {
  if (actual === undefined) throw new Error('there is no such figure')
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, scale))
}

function expectSame(actual: Population, expected: Population): void {
  expectClose(actual.s2, expected.s2)
  for (const [i, b] of expected.b.entries()) expectClose(actual.b[i], b)
  expect(actual.traders.length).toBe(expected.traders.length)
  for (const [i, trader] of actual.traders.entries()) {
    for (const name of ['xbar', 'n_eff', 'v', 'tau2', 'clv', 'se'] as const)
      expectClose(trader[name], expected.traders[i]?.[name])
  }
}

describe('for any population', () => {
  it('the order of events changes no digit', () => {
    holds((events) => {
      expect(populationOf(events.toReversed())).toStrictEqual(populationOf(events))
      expect(populationOf(events.toSorted((a, b) => a.x - b.x))).toStrictEqual(populationOf(events))
    })
  })

  it('weights matter by their ratio alone', () => {
    holds((events) => {
      const doubled = events.map((each) => ({ ...each, W: each.W * 1024 }))
      expect(populationOf(doubled)).toStrictEqual(populationOf(events))
      expectSame(scored(events.map((each) => ({ ...each, W: each.W / 3 }))), scored(events))
    })
  })

  it('edges that are twice as large make figures twice as large, and variances four times', () => {
    holds((events) => {
      const once = scored(events)
      const twice = scored(events.map((each) => ({ ...each, x: each.x * 2 })))
      expect(twice).toStrictEqual({
        s2: once.s2 * 4,
        b: once.b.map((each) => each * 2),
        traders: once.traders.map((each) => ({
          ...each,
          mu: each.mu * 2,
          xbar: each.xbar * 2,
          v: each.v * 4,
          tau2: each.tau2 * 4,
          clv: each.clv * 2,
          se: each.se * 2,
          mu_se: each.mu_se * 2,
          skill: each.skill * 2,
          skill_se: each.skill_se * 2,
        })),
      })
    })
  })

  it('a point more for all is a point more for each, and no other variance', () => {
    holds((events) => {
      const before = scored(events)
      const after = scored(events.map((each) => ({ ...each, x: each.x + 1 })))
      const { s2 } = before
      const least = Math.min(...before.traders.map(({ tau2 }) => tau2))
      // Near 0 tau2 is the difference of large numbers.
      expectClose(after.s2, s2)
      for (const [i, each] of before.traders.entries()) expectClose(after.traders[i]?.tau2, each.tau2, 1e3 * s2)
      for (const [i, each] of before.traders.entries()) expectClose(after.traders[i]?.xbar, each.xbar + 1)
      if (least > s2 / 1e3)
        for (const [i, each] of before.traders.entries()) expectClose(after.traders[i]?.clv, each.clv + 1, 1e4)
    })
  })

  it('tau2 is not below 0, n_eff lies between 1 and the number of events', () => {
    holds((events) => {
      const { s2, traders } = scored(events)
      for (const { tau2 } of traders) expect(tau2).toBeGreaterThanOrEqual(0)
      expect(s2).toBeGreaterThanOrEqual(0)
      for (const { n_eff, n_clusters } of traders) {
        expect(n_eff).toBeGreaterThanOrEqual(1 - 1e-12)
        expect(n_eff).toBeLessThanOrEqual(n_clusters * (1 + 1e-12))
      }
    })
  })

  it('a score lies between its prior mean and the trader’s own, and the priors between the own ones', () => {
    holds((events) => {
      const { traders } = scored(events)
      const means = traders.map(({ xbar }) => xbar)
      for (const { clv, mu, xbar } of traders) {
        expect(mu).toBeGreaterThanOrEqual(Math.min(...means) - 1e-9)
        expect(mu).toBeLessThanOrEqual(Math.max(...means) + 1e-9)
        expect(clv).toBeGreaterThanOrEqual(Math.min(mu, xbar) - 1e-9)
        expect(clv).toBeLessThanOrEqual(Math.max(mu, xbar) + 1e-9)
      }
    })
  })

  it('the part beyond the role is 0 or less at its mean, and never more than the whole where that gains', () => {
    holds((events) => {
      for (const { clv, mu, mu_se, skill, skill_se, v, above, below } of scored(events).traders) {
        expectClose(skill, mu > 0 ? clv - mu : clv, 100)
        expect(skill_se ** 2).toBeLessThanOrEqual(v + mu_se ** 2 + 1e-9)
        // No trader is above and below both 0 and its role.
        expect(Math.max(above, below)).toBeGreaterThanOrEqual(0.5 - 1e-12)
      }
    })
  })

  it('a trader with the same events has the same score, and the variance within stays when all have a double', () => {
    holds((events) => {
      const doubles = events.map((each) => ({ ...each, trader: `${each.trader}-again` }))
      const { s2, traders } = scored([...events, ...doubles])
      expectClose(s2, scored(events).s2)
      for (const each of traders) {
        const double = traders.find(({ trader }) => trader === `${each.trader}-again`)
        if (double !== undefined) expect({ ...double, trader: each.trader }).toStrictEqual(each)
      }
    })
  })

  it('where all traders have the same mean, each score is that mean, and not sure', () => {
    holds((events) => {
      const first = events.filter(({ trader }) => trader === 't0')
      const copies = ['a', 'b', 'c'].flatMap((trader) => first.map((each) => ({ ...each, trader })))
      const { traders } = scored(copies)
      for (const { clv, se, xbar, mu, v, tau2 } of traders) {
        // Three of a variance v: the error of the moment, over 2/3 + 2/3 + 2/3 free ones.
        expectClose(tau2, v)
        expectClose(mu, xbar)
        expectClose(clv, xbar)
        expectClose(se, Math.sqrt(v / 2))
      }
    })
  })
})

describe('a population by hand', () => {
  const even = (trader: string, x: number[]): ClusterTerm[] =>
    x.map((each, i) => ({ trader, cluster: `e${i}`, x: each, W: 7, price_variance: 0.25 }))

  it('of two traders with 10 clusters and one with a single one', () => {
    // A: mean 2, squares 10 x 1; v_A = 10/9 x 10/100 = 1/9, f = 10/9 (1 - 2/10 + 1/10) = 1. B alike around 6.
    // s2 = (100/9 + 100/9) / 20 = 10/9, of all prices alike, so that each trader has it.
    // v: 1/9, 1/9, 10/9. Fewer than ten have 10 clusters, so that all are fitted: mean 6, squares 16, 0, 16, free 2/3.
    // tau2 = (32 - 2/3 x 12/9) / 2 = 140/9, more than its error of sqrt(2 x 2/3 x 102/81) / 2.
    // v + tau2: 141/9, 141/9, 150/9; mu = (8/141 + 10/150) / (2/141 + 1/150) = 290/49.
    const events = [...even('A', [1, 3, 1, 3, 1, 3, 1, 3, 1, 3]), ...even('B', [5, 7, 5, 7, 5, 7, 5, 7, 5, 7])]
    const { s2, b, traders } = scored([...events, ...even('C', [10])])
    expectClose(s2, 10 / 9)
    for (const { tau2 } of traders) expectClose(tau2, 140 / 9)
    const mu = 290 / 49
    expectClose(b[0], mu)
    expect(b.slice(1)).toEqual([0, 0, 0])
    const [a, second, c] = traders
    expect([a?.xbar, second?.xbar, c?.xbar, a?.n_eff, second?.n_eff, c?.n_eff]).toEqual([2, 6, 10, 10, 10, 1])
    expectClose(a?.clv, mu + (140 / 141) * (2 - mu))
    expectClose(second?.clv, mu + (140 / 141) * (6 - mu))
    expectClose(c?.clv, mu + (140 / 150) * (10 - mu))
    // The mean weighs as 50, 50, 47 of 147.
    const error = Math.sqrt((50 * (2 - mu)) ** 2 + (50 * (6 - mu)) ** 2 + (47 * (10 - mu)) ** 2) / 147
    expectClose(a?.mu_se, error)
    expectClose(a?.se, Math.sqrt((140 / 141) * (1 / 9) + (error / 141) ** 2))
    expectClose(a?.skill, (140 / 141) * (2 - mu))
    expectClose(a?.skill_se, Math.sqrt((140 / 141) * (1 / 9) + ((140 / 141) * error) ** 2))
  })

  it('with uneven weights: one cluster of 3 and nine of 1', () => {
    // sum W = 12, sum W^2 = 18, sum W^3 = 36, n_eff = 8; the cluster of 3 has 4, the others 0: xbar = 1.
    // squares: 9 x 9 + 9 x 1 = 90; v_j = 10/9 x 90 / 144 = 25/36; f = 10/9 (1 - 72/216 + 18/144) = 95/108.
    // s2 = 8 x 25/36 / f = 120/19; the trader alone is its population: s2_j = s2, v = 15/19.
    const events = Array.from({ length: 10 }, (_, i) => ({
      trader: 'A',
      cluster: `e${i}`,
      x: i === 0 ? 4 : 0,
      W: i === 0 ? 3 : 1,
      price_variance: 0.25,
    }))
    const { s2, b, traders } = scored(events)
    expectClose(s2, 120 / 19)
    expect(traders[0]?.tau2).toBe(0)
    expect(b[0]).toBe(1)
    expectClose(traders[0]?.v, 15 / 19)
    expect(traders[0]).toMatchObject({ n_clusters: 10, n_eff: 8, xbar: 1, clv: 1, se: 0 })
  })

  it('takes 10 clusters that vary to know the variance within', () => {
    expect(populationOf(even('A', [1, 2, 3, 4, 5, 6, 7, 8, 9]))).toBeNull()
    expect(populationOf(even('A', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))).not.toBeNull()
    expect(populationOf(even('A', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))).toBeNull()
  })

  it('of false discoveries, by Benjamini and Hochberg, a trader once', () => {
    // Of three 0.001 x 3, 0.02 x 3 / 2, 0.5. The fourth is too small; of the two chances of B the least counts twice.
    const of = (trader: string, above: number, n_eff: number, below = 1 - above) => ({ trader, above, below, n_eff })
    const rates = falseDiscoveryRates([
      of('A', 0.02, 20),
      of('B', 0.0005, 25),
      of('C', 0.5, 99),
      of('D', 0, 19.9),
      of('B', 0.3, 20),
      of('A', 0, 19),
    ])
    for (const [trader, q] of [
      ['A', (0.02 * 3) / 2],
      ['B', 0.001 * 3],
      ['C', 0.5],
    ] as const)
      expect(rates.get(trader)?.above).toBeCloseTo(q, 12)
    expect(rates.get('D')).toMatchObject({ above: null, below: null, wide: 0 })
    // 0.98 x 3 / 3, 0.7 x 2 at most 1, 0.5 x 3: of the last two the least is 1.
    expect(rates.get('C')?.below).toBeCloseTo(1, 12)
  })

  it('of chances, beyond 0 and the role', () => {
    // Student's t of 23 degrees of freedom: 0.05 above 1.713872, 0.01 above 2.499867, of a printed table.
    const of = (xbar: number, mu: number, mu_variance = 0) => chances({ xbar, v: 1, n_eff: 20, mu, mu_variance })
    expect(of(1.713872, -9).above).toBeCloseTo(0.05, 4)
    expect(of(2.499867, 0).above).toBeCloseTo(0.01, 4)
    expect(of(3.499867, 1).above).toBeCloseTo(0.01, 4)
    expect(of(1 + 2 * 2.499867, 1, 3).above).toBeCloseTo(0.01, 4)
    expect(of(-1.713872, 9).below).toBeCloseTo(0.05, 4)
    expect(of(-3.499867, -1).below).toBeCloseTo(0.01, 4)
  })
})

describe('for any world', () => {
  const small = worlds({ events: [1, 8], steps: [20, 120], traders: [2, 4] })

  it('the order of its rows changes nothing', () => {
    fc.assert(
      fc.property(small, (world) => {
        const other = {
          ...world,
          fills: world.fills.toReversed(),
          markets: world.markets.toReversed(),
          quotes: world.quotes.toReversed(),
        }
        const [there, back] = [oracleClv(world), oracleClv(other)]
        expect(back.fills.toReversed().toSorted(byKind)).toStrictEqual(there.fills.toSorted(byKind))
        expect(back.clusters.toSorted(byCluster)).toStrictEqual(there.clusters.toSorted(byCluster))
        expect(back.guards).toStrictEqual(there.guards)
        expect(back.scores.map((each) => each.population)).toStrictEqual(there.scores.map((each) => each.population))
      }),
      { numRuns: 40 },
    )
  })

  it('the price that a trader pays changes none of its own closes', () => {
    fc.assert(
      fc.property(small, (world) => {
        const before = oracleClv(world)
        const fills = world.fills.map((each) => (each.trader === 't0' && each.role === 'taker' ? dearer(each) : each))
        const after = oracleClv({ ...world, fills })
        for (const [i, { fill, close }] of before.fills.entries())
          if (fill.trader === 't0' && fill.role === 'taker') expect(after.fills[i]?.close).toBe(close)
      }),
      { numRuns: 40 },
    )
  })
})

const byKind = (a: ScoredFill, b: ScoredFill): number => (a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1)
const keyOf = ({ trader, kind, range, category, day }: ClusterSum): string =>
  `${trader} ${kind} ${range} ${category} ${day}`
const byCluster = (a: ClusterSum, b: ClusterSum): number => (keyOf(a) < keyOf(b) ? -1 : 1)
const dearer = <T extends { cash: bigint }>(fill: T): T => ({ ...fill, cash: fill.cash * 2n })
