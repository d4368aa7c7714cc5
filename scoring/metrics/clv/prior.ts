import { chooseTerms, fitLine, valueOf, type Line } from './line.ts'

/** How a trader gets its fills, by most of its risk: it takes, or it rests orders on one side or on both. */
export const roles = ['taker', 'poster', 'market_maker'] as const
export type Role = (typeof roles)[number]

/** A trader's mean, its variance by chance, its effective number of clusters, and what its role is known by. */
export type Mean = { raw_points: number; v: number; n_eff: number; role: Role; terms: readonly number[] }

/**
 * The distribution of traders' true means: a line over the terms of their roles, and for each trader in their order the
 * variance of skill around it.
 */
export type Prior = { line: Line; tau2: readonly number[]; n_fitted: number }

/** The effective number of clusters from which a trader counts in the fit, and the least number of such traders. */
const FITTED_CLUSTERS = 10
const FITTED_TRADERS = 10
/** The least number of traders of a part of a role, and the most parts. */
const PART_TRADERS = 30
const PARTS = 5
/** The equal weights of whole clusters give a whole number but for rounding. */
const ROUNDING = 1e-9

/**
 * Fits the mean of each role, and the variance of skill around it. The variance is a moment in which each trader counts
 * the same: weights by precision would estimate the skill of the most active traders, who are mostly without. It is that
 * of the traders of the role with a like sample, since skill differs with activity.
 */
export function fitPrior(means: readonly Mean[]): Prior {
  const isLarge = ({ n_eff }: Mean): boolean => n_eff >= FITTED_CLUSTERS - ROUNDING
  const isAll = means.filter(isLarge).length < FITTED_TRADERS
  const places = [...means.keys()].filter((place) => isAll || isLarge(at(means, place)))
  const fitted = places.map((place) => at(means, place))
  const terms = chooseTerms(fitted.map((trader) => trader.terms))
  const weigh = (weightOf: (place: number) => number): Line =>
    fitLine(
      fitted.map((trader, i) => ({
        terms: trader.terms,
        value: trader.raw_points,
        weight: weightOf(at(places, i)),
      })),
      terms,
    )
  const tau2 = spreadOf(
    means,
    places,
    weigh(() => 1),
  )
  return { line: weigh((place) => 1 / (at(means, place).v + at(tau2, place))), tau2, n_fitted: places.length }
}

type Residual = { place: number; square: number; free: number; v: number }

/**
 * The variance of skill of each trader: over its part of its role. A trader who is not fitted is in the first part, that
 * of the smallest samples. A role of fewer than ten fitted traders has the variance of all roles.
 */
function spreadOf(means: readonly Mean[], places: readonly number[], line: Line): number[] {
  const residuals = places.map((place): Residual => {
    const { raw_points, v, terms } = at(means, place)
    const { mean, leverage } = valueOf(line, terms)
    return { place, square: (raw_points - mean) ** 2, free: 1 - leverage, v }
  })
  const all = momentOf(residuals)
  const tau2 = means.map(() => all)
  for (const role of roles) {
    const members = residuals.filter(({ place }) => at(means, place).role === role)
    if (members.length < FITTED_TRADERS) continue
    const parts = partsOf(members.toSorted((a, b) => sampleOf(at(means, a.place)) - sampleOf(at(means, b.place))))
    const moments = parts.map(momentOf)
    for (const [place, mean] of means.entries()) if (mean.role === role) tau2[place] = at(moments, 0)
    for (const [part, moment] of moments.entries()) for (const { place } of at(parts, part)) tau2[place] = moment
  }
  return tau2
}

/** Samples that differ by rounding are equal, and in the order of the traders. */
const sampleOf = ({ n_eff }: Mean): number => Math.round(n_eff * 1e6)

function partsOf(members: readonly Residual[]): Residual[][] {
  const n = members.length
  const n_parts = Math.max(1, Math.min(PARTS, Math.floor(n / PART_TRADERS)))
  const borderOf = (part: number): number => Math.floor((part * n) / n_parts)
  return Array.from({ length: n_parts }, (_, part) => members.slice(borderOf(part), borderOf(part + 1)))
}

/**
 * The moment, at least its own standard error where there is no variance. What cannot be told from 0 is not 0: traders
 * would all have one score.
 */
function momentOf(residuals: readonly Residual[]): number {
  const n_free = sum(residuals, ({ free }) => free)
  if (n_free < ROUNDING) return 0
  const moment = sum(residuals, ({ square, free, v }) => square - free * v) / n_free
  const error = Math.sqrt(2 * sum(residuals, ({ free, v }) => free * v * v)) / n_free
  return Math.max(moment, error)
}

const sum = (residuals: readonly Residual[], term: (residual: Residual) => number): number =>
  residuals.reduce((total, residual) => total + term(residual), 0)

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`prior: no entry ${index} of ${list.length}; expected one`)
  return item
}
