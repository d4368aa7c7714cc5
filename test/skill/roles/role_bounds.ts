import type { Bound } from '#test/skill/hard_bounds.ts'
import { totalOf, wilsonOf, type Share } from '#test/skill/hard_pool.ts'

import type { RoleVerdict, Shares } from './role_judge.ts'
import { orders, targets, type Rank } from './role_ranks.ts'

/** What scores must hold in worlds of roles. They were fixed before the scores that they judge. */
export const acceptance = {
  false_sharps: 0.1,
  false_sharps_upper: 0.15,
  invisible_sharps: 0.05,
  power: 0.5,
  first: 0.6,
  covered: [0.93, 0.97],
} as const

/** The number of worlds in which coverage has no slack. */
const n_full = 20

/** The bounds over some worlds, each with the figures outside of it. */
export function roleBounds(verdicts: readonly RoleVerdict[]): Bound[] {
  const total = (pick: (verdict: RoleVerdict) => Shares): Share => totalOf(poolShares(verdicts, pick))
  const falseSharps = total((verdict) => verdict.falseSharps)
  const { upper } = wilsonOf(falseSharps)
  return [
    atMost('sharp without skill beyond the role', falseSharps, acceptance.false_sharps),
    {
      name: 'sharp without skill beyond the role, upper bound',
      n: falseSharps.of,
      breaches: upper <= acceptance.false_sharps_upper ? [] : [`${upper.toFixed(3)}; expected at most 0.15`],
    },
    atMost(
      'sharp without a visible edge',
      total((verdict) => verdict.invisibleSharps),
      acceptance.invisible_sharps,
    ),
    atLeast(
      'power',
      total((verdict) => verdict.power),
      acceptance.power,
    ),
    atLeast(
      'skilled among the first 20',
      total((verdict) => verdict.first),
      acceptance.first,
    ),
    coverage(
      poolShares(verdicts, (verdict) => verdict.covered),
      verdicts.length,
    ),
    ranking(verdicts.map(({ ranks }) => ranks)),
    {
      name: 'lists',
      n: verdicts.length,
      breaches: verdicts
        .filter(({ scored }) => totalOf(new Map(scored.map((share) => [share.name, share]))).n === 0)
        .map(({ seed, brokenGuards }) => `seed ${seed}: no score; guards broken: ${brokenGuards.join(', ')}`),
    },
  ]
}

/** The shares of all worlds together, by name. */
export function poolShares(
  verdicts: readonly RoleVerdict[],
  pick: (verdict: RoleVerdict) => Shares,
): Map<string, Share> {
  const sums = new Map<string, Share>()
  for (const { name, n, of: all } of verdicts.flatMap(pick)) {
    const sum = sums.get(name) ?? { n: 0, of: 0 }
    sums.set(name, { n: sum.n + n, of: sum.of + all })
  }
  return sums
}

const shown = ({ n, of: all }: Share): string => `${n} of ${all}, ${(n / all).toFixed(3)}`

const atMost = (name: string, share: Share, bound: number): Bound => ({
  name,
  n: share.of,
  breaches: share.n <= bound * share.of ? [] : [`${shown(share)}; expected at most ${bound}`],
})

const atLeast = (name: string, share: Share, bound: number): Bound => ({
  name,
  n: share.of,
  breaches: share.of > 0 && share.n >= bound * share.of ? [] : [`${shown(share)}; expected at least ${bound}`],
})

/** Intervals by role and by decile of the sample. With fewer worlds a share breaks its bound if it surely lies outside. */
function coverage(covered: ReadonlyMap<string, Share>, n_worlds: number): Bound {
  const [least, most] = acceptance.covered
  const judged = [...covered].filter(([name]) => name.startsWith('role ') || name.startsWith('decile '))
  const breaches = judged.filter(([, share]) => {
    const rate = share.n / share.of
    const { lower, upper } = n_worlds >= n_full ? { lower: rate, upper: rate } : wilsonOf(share)
    return upper < least || lower > most
  })
  return {
    name: 'coverage of clv +- 1.96 se',
    n: judged.length,
    breaches: breaches.map(([name, share]) => `${name}: ${shown(share)}; expected ${least} to ${most}`),
  }
}

/**
 * The mean over worlds of score - rival, with its standard error. A world in which one of them has no correlation is
 * left out.
 */
export function rivalsOf(worlds: readonly (readonly Rank[])[]): Rivalry[] {
  const rivals = orders.filter((order) => order !== 'score')
  return ['taker', 'maker'].flatMap((role) =>
    targets.flatMap((target) =>
      rivals.map((rival) => {
        const pairs = worlds.flatMap((ranks) => {
          const figure = (order: string): number | null =>
            ranks.find((rank) => rank.role === role && rank.target === target && rank.order === order)?.spearman ?? null
          const [score, other] = [figure('score'), figure(rival)]
          return score === null || other === null ? [] : [{ score, other }]
        })
        return {
          role,
          target,
          rival,
          n_worlds: pairs.length,
          score: meanOf(pairs.map(({ score }) => score)),
          other: meanOf(pairs.map(({ other }) => other)),
          ...errorOf(pairs.map(({ score, other }) => score - other)),
        }
      }),
    ),
  )
}

export type Rivalry = {
  role: string
  target: string
  rival: string
  n_worlds: number
  score: number
  other: number
  difference: number
  se: number
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

function errorOf(values: readonly number[]): { difference: number; se: number } {
  const difference = meanOf(values)
  const variance = values.reduce((sum, value) => sum + (value - difference) ** 2, 0) / (values.length - 1)
  return { difference, se: Math.sqrt(variance / values.length) }
}

/** The 97.5 % quantile of Student's t, by Cornish and Fisher's expansion about that of the normal distribution. */
function studentAt(df: number): number {
  const z = 1.96
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ]
  return terms.reduce((sum, term, i) => sum + term / df ** (i + 1), z)
}

/** A rival that is surely better breaks the bound. */
function ranking(worlds: readonly (readonly Rank[])[]): Bound {
  const rivalries = rivalsOf(worlds)
  const lost = rivalries.filter(({ difference, se, n_worlds }) => difference + studentAt(n_worlds - 1) * se < 0)
  return {
    name: 'ranks as of day 90',
    n: rivalries.length,
    breaches: lost.map(
      ({ role, target, rival, difference, se }) =>
        `${role}s, ${target}: score - ${rival} is ${difference.toFixed(3)} (se ${se.toFixed(3)}); expected 0 or more`,
    ),
  }
}
