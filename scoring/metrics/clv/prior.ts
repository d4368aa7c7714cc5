import { chooseTerms, fitLine, valueOf, type Line } from './line.ts'

/** How a trader gets its fills, by most of its risk: it takes, or it rests orders on one side or on both. */
export const roles = ['taker', 'poster', 'market_maker'] as const
export type Role = (typeof roles)[number]

/** A trader's mean, its variance by chance, its effective number of clusters, and what its role is known by. */
export type Mean = { raw_points: number; v: number; n_eff: number; role: Role; terms: readonly number[] }

/** The distribution of traders' true means: a line over the terms of their roles, and the variance around it by role. */
export type Prior = { line: Line; tau2: Record<Role, number>; n_fitted: number }

/** The effective number of clusters from which a trader counts in the fit, and the least number of such traders. */
const FITTED_CLUSTERS = 10
const FITTED_TRADERS = 10
/** The equal weights of whole clusters give a whole number but for rounding. */
const ROUNDING = 1e-9

/**
 * Fits the mean of each role, and the variance of skill around it. The variance is a moment in which each trader counts
 * the same: weights by precision would estimate the skill of the most active traders, who are mostly without.
 */
export function fitPrior(means: readonly Mean[]): Prior {
  const large = means.filter(({ n_eff }) => n_eff >= FITTED_CLUSTERS - ROUNDING)
  const fitted = large.length >= FITTED_TRADERS ? large : means
  const terms = chooseTerms(fitted.map((trader) => trader.terms))
  const weigh = (weightOf: (trader: Mean) => number): Line =>
    fitLine(
      fitted.map((trader) => ({ terms: trader.terms, value: trader.raw_points, weight: weightOf(trader) })),
      terms,
    )
  const tau2 = spreadOf(
    fitted,
    weigh(() => 1),
  )
  return { line: weigh(({ v, role }) => 1 / (v + tau2[role])), tau2, n_fitted: fitted.length }
}

/** The variance between the traders of each role beyond chance; of all roles for a role of fewer than ten traders. */
function spreadOf(fitted: readonly Mean[], line: Line): Record<Role, number> {
  const residuals = fitted.map((trader) => {
    const { mean, leverage } = valueOf(line, trader.terms)
    return { ...trader, square: (trader.raw_points - mean) ** 2, free: 1 - leverage }
  })
  const all = momentOf(residuals)
  const momentOfRole = (role: Role): number => {
    const members = residuals.filter((trader) => trader.role === role)
    return members.length >= FITTED_TRADERS ? momentOf(members) : all
  }
  return { taker: momentOfRole('taker'), poster: momentOfRole('poster'), market_maker: momentOfRole('market_maker') }
}

type Residual = { square: number; free: number; v: number }

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
