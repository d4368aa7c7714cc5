import fc from 'fast-check'

import type { discoveryRates } from '#scoring/metrics/clv/discovery_rates.ts'
import type { shrink } from '#scoring/metrics/clv/shrinkage.ts'
import { quantile, type ClusterEdge, type summarize } from '#scoring/metrics/clv/summarize.ts'

import { population, ratesOf, type Population, type Role, type Style } from './population.ts'

/** The clusters of a trader in one kind, and its style. */
export type Clustered = Style & { trader: number; clusters: ClusterEdge[] }

/** The arithmetic that is compared with the oracle. */
export type Arithmetic = {
  shrink: typeof shrink
  summarize: typeof summarize
  discoveryRates: typeof discoveryRates
}

const share = fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1e6)

/** A trader's clusters around a mean of its own; the weights are alike, or of any size. */
const clusters = (made: number, isEven: boolean): fc.Arbitrary<ClusterEdge[]> =>
  fc.integer({ min: -6_000, max: 6_000 }).chain((mean) =>
    fc.array(
      fc
        .record({
          edge: fc.integer({ min: -15_000, max: 15_000 }),
          risk_usd: isEven ? fc.integer({ min: 90, max: 110 }) : fc.double({ min: 0.01, max: 1e4, noNaN: true }),
          price_variance: fc.double({ min: 0.0196, max: 0.25, noNaN: true }),
        })
        .map(({ edge, risk_usd, price_variance }) => ({
          edge_points: (mean + edge) / 1000,
          risk_usd,
          maker_usd: made * risk_usd,
          price_variance,
        })),
      { minLength: 1, maxLength: 45, size: 'max' },
    ),
  )

const trader: fc.Arbitrary<Clustered[]> = fc
  .record({
    role: fc.constantFrom<Role>('taker', 'taker', 'poster', 'market_maker'),
    both_sides_share: share,
    net_share: share,
    made: share,
    n_kinds: fc.integer({ min: 1, max: 2 }),
    isEven: fc.boolean(),
  })
  .chain(({ made, isEven, n_kinds, ...style }) => {
    const part = style.role === 'taker' ? 0.3 * made : 0.5 + made / 2
    return fc
      .array(clusters(part, isEven), { minLength: n_kinds, maxLength: n_kinds })
      .map((kinds) => kinds.map((own) => ({ ...style, trader: 0, clusters: own })))
  })

/** Two kinds of 1 to 60 traders; each trader is in the first kind, or in both. */
export const populations = (least: number, most: number): fc.Arbitrary<Clustered[][]> =>
  fc.array(trader, { minLength: least, maxLength: most, size: 'max' }).map((traders) =>
    [0, 1].map((kind) =>
      traders.flatMap((kinds, index) => {
        const own = kinds[kind]
        return own === undefined ? [] : [{ ...own, trader: index }]
      }),
    ),
  )

/** The population of one kind by the oracle. */
export function expectedOf(traders: Clustered[]): Population | null {
  const nameOf = (index: number): string => `t${String(index).padStart(3, '0')}`
  const terms = traders.flatMap((each) => {
    const cap = quantile(
      each.clusters.map(({ risk_usd }) => risk_usd),
      0.95,
    )
    return each.clusters.map(({ edge_points, risk_usd, price_variance }, i) => ({
      trader: nameOf(each.trader),
      cluster: nameOf(i),
      x: edge_points,
      W: Math.min(risk_usd, cap),
      price_variance,
    }))
  })
  const total = (edges: ClusterEdge[], of: (edge: ClusterEdge) => number): number =>
    edges.reduce((sum, edge) => sum + of(edge), 0)
  const shares = traders.map((each): [string, number] => [
    nameOf(each.trader),
    total(each.clusters, ({ maker_usd }) => maker_usd) / total(each.clusters, ({ risk_usd }) => risk_usd),
  ])
  return population(terms, new Map(shares), new Map(traders.map((each) => [nameOf(each.trader), each])))
}

const scoreNames = [
  ['raw_points', 'xbar'],
  ['v', 'v'],
  ['tau2', 'tau2'],
  ['mu_points', 'mu'],
  ['mu_se', 'mu_se'],
  ['clv_points', 'clv'],
  ['se', 'se'],
  ['skill_points', 'skill'],
  ['skill_se', 'skill_se'],
  ['p_above', 'above'],
  ['p_below', 'below'],
] as const

/** Where the arithmetic and the oracle disagree by more than 1e-9, a line each. */
export function unlike(
  { shrink: shrinkAll, summarize: sumUp, discoveryRates: ratesBy }: Arithmetic,
  kinds: Clustered[][],
) {
  const expected = kinds.map(expectedOf)
  const actual = kinds.map((traders) => shrinkAll(traders.map((each) => ({ ...sumUp(each.clusters), ...each }))))
  const tests = new Map<number, NonNullable<(typeof actual)[number]>['scores']>()
  for (const [kind, shrunk] of actual.entries())
    for (const [i, score] of (shrunk?.scores ?? []).entries()) {
      const index = kinds[kind]?.[i]?.trader ?? -1
      tests.set(index, [...(tests.get(index) ?? []), score])
    }
  const indexes = [...tests.keys()].toSorted((a, b) => a - b)
  const wanted = [...ratesOf(expected)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rates = ratesBy(indexes.map((index) => tests.get(index) ?? []))
  return [
    ...actual.flatMap((shrunk, kind) => populationDifferences(shrunk, expected[kind] ?? null)),
    ...(rates.length === wanted.length ? [] : [`${rates.length} traders are tested; expected ${wanted.length}`]),
    ...rates.flatMap(({ q, q_below, q_wide }, i) => {
      const rate = wanted[i]?.[1]
      return [
        ...off('q', q, rate?.above),
        ...off('q_below', q_below, rate?.below),
        ...off('q_wide', q_wide, rate?.wide),
      ]
    }),
  ]
}

function populationDifferences(actual: ReturnType<typeof shrink>, expected: Population | null): string[] {
  if (actual === undefined || expected === null)
    return (actual === undefined) === (expected === null) ? [] : ['one has no population']
  const { s2, prior } = actual.population
  return [
    ...off('s2', s2, expected.s2),
    ...expected.b.flatMap((b, i) => off(`b ${i}`, prior.line.coefficients[i], b)),
    ...actual.scores.flatMap((score, i) =>
      scoreNames.flatMap(([name, other]) => off(name, score[name], expected.traders[i]?.[other])),
    ),
  ]
}

function off(name: string, actual: number | null | undefined, expected: number | null | undefined): string[] {
  if (typeof actual !== 'number' || typeof expected !== 'number')
    return actual === expected ? [] : [`${name}: ${actual}; expected ${expected}`]
  const isClose = Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected))
  return isClose ? [] : [`${name}: ${actual}; expected ${expected}`]
}
