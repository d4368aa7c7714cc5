import type { Cluster } from './clusters.ts'
import { lineOf, keptOf, type Line } from './lines.ts'
import { grouped, percentile, sumOf } from './numbers.ts'
import type { Rules } from './rules.ts'
import type { Role, Style } from './styles.ts'

/** A trader's clusters of a kind and range, summed up; `terms` of its mean are 1, made, made on both sides, made flat. */
export type Observed = {
  trader: string
  role: Role
  n: number
  raw: number
  nEff: number
  spread: number
  freedom: number
  prices: number
  terms: readonly number[]
}

/** A trader's score: `v` is the variance of `raw` due to chance, `mu` the mean of its role, `skill` what exceeds it. */
export type Scored = Observed & {
  v: number
  /** The variance of skill between traders of the role with a like sample. */
  between: number
  mu: number
  muSe: number
  clv: number
  se: number
  skill: number
  skillSe: number
}

/** The common parameters of the traders of a kind and range. */
export type Population = {
  n_traders: number
  n_pooled: number
  n_fitted: number
  s2: number
  s2_price: number
  b_taken: number
  b_made: number
  b_both: number
  b_flat: number
}

/** The scores of a kind and range; null if its noise is unknown. */
export function scoresOf(
  clusters: readonly Cluster[],
  styles: ReadonlyMap<string, Style>,
  rules: Rules,
): { population: Population; traders: Scored[] } | null {
  const groups = grouped(clusters, ({ trader }) => trader)
  const observed = [...groups].map(([trader, own]) =>
    observe(own, styles.get(trader) ?? { role: 'taker', bothSides: 0, net: 0 }, rules),
  )
  const pooled = observed.filter(({ n }) => n >= 10)
  const above = sumOf(pooled, ({ nEff, spread }) => nEff ** 2 * spread)
  const s2 = above / sumOf(pooled, ({ nEff, freedom }) => nEff * freedom)
  const s2_price = above / sumOf(pooled, ({ nEff, freedom, prices }) => nEff * freedom * prices)
  if (!(s2 > 1e-6)) return null
  const noisy = observed.map((one) => ({ ...one, v: noiseOf(one, s2_price, rules) / one.nEff }))
  const { tau2, line, n_fitted } = priorOf(noisy, rules)
  const traders = noisy.map((one, place) => {
    const between = tau2[place] ?? Number.NaN
    const [mu, muVariance] = [line.at(one.terms), line.varianceAt(one.terms)]
    const share = between / (between + one.v)
    const clv = mu + share * (one.raw - mu)
    const [own, ofMean] = [share * one.v, share ** 2 * muVariance]
    const se = Math.sqrt(own + (1 - share) ** 2 * muVariance)
    const isAbove = mu > 0 && rules.skill === 'beyond the role'
    return {
      ...one,
      between,
      mu,
      muSe: Math.sqrt(muVariance),
      clv,
      se,
      skill: isAbove ? clv - mu : clv,
      skillSe: isAbove ? Math.sqrt(own + ofMean) : se,
    }
  })
  const [b_taken = 0, b_made = 0, b_both = 0, b_flat = 0] = line.coefficients
  const counts = { n_traders: observed.length, n_pooled: pooled.length, n_fitted }
  return { population: { ...counts, s2, s2_price, b_taken, b_made, b_both, b_flat }, traders }
}

function observe(clusters: readonly Cluster[], { role, bothSides, net }: Style, { isCapped }: Rules): Observed {
  const n = clusters.length
  const cap = percentile(
    clusters.map(({ risk }) => risk),
    0.95,
  )
  const rows = clusters.map((one) => ({ ...one, weight: isCapped ? Math.min(one.risk, cap) : one.risk }))
  const power = (exponent: number): number => sumOf(rows, ({ weight }) => weight ** exponent)
  const [sum, squares] = [power(1), power(2)]
  const raw = sumOf(rows, ({ weight, edge }) => weight * edge) / sum
  const isOne = n === 1
  const made = sumOf(clusters, (one) => one.made) / sumOf(clusters, ({ risk }) => risk)
  return {
    trader: clusters[0]?.trader ?? '',
    role,
    n,
    raw,
    nEff: sum ** 2 / squares,
    spread: isOne ? 0 : ((n / (n - 1)) * sumOf(rows, ({ weight, edge }) => (weight * (edge - raw)) ** 2)) / sum ** 2,
    freedom: isOne ? 0 : (n / (n - 1)) * (1 - (2 * power(3)) / (sum * squares) + squares / sum ** 2),
    prices: sumOf(rows, ({ weight, variance }) => weight ** 2 * variance) / squares,
    terms: [1, made, made * bothSides, made * (1 - net)],
  }
}

/** The variance of one cluster of a trader. */
function noiseOf({ nEff, spread, freedom, prices }: Observed, s2_price: number, { priorWeight }: Rules): number {
  const prior = s2_price * prices
  const own = nEff - 1
  return own < 1e-6 ? prior : (priorWeight * prior + (own * nEff * spread) / freedom) / (priorWeight + own)
}

type Noisy = Observed & { v: number }

/** The variance of skill of each trader, and the means of roles, of the traders with ten clusters' worth. */
function priorOf(all: readonly Noisy[], rules: Rules): { tau2: number[]; line: Line; n_fitted: number } {
  const large = all.filter(({ nEff }) => nEff >= 10 - 1e-9)
  const rows = large.length >= 10 ? large : all
  const kept = rules.prior === 'mean' ? [true, false, false, false] : keptOf(rows.map(({ terms }) => terms))
  const equal = lineOf(
    rows.map(({ terms, raw }) => ({ terms, value: raw, weight: 1 })),
    kept,
  )
  const off = rows.map((one) => ({
    role: one.role,
    v: one.v,
    square: (one.raw - equal.at(one.terms)) ** 2,
    free: 1 - equal.shareAt(one.terms),
  }))
  const between = (own: typeof off): number => {
    const free = sumOf(own, (one) => one.free)
    if (free < 1e-9) return 0
    const noise = Math.sqrt(2 * sumOf(own, (one) => one.free * one.v ** 2)) / free
    if (rules.variance === 'by precision') {
      const excess = sumOf(own, (one) => one.square / one.v) - free
      return Math.max(0, excess / sumOf(own, (one) => 1 / one.v))
    }
    return Math.max(noise, sumOf(own, (one) => one.square - one.free * one.v) / free)
  }
  const placed = grouped(
    off.map((one, place) => ({ ...one, row: rows[place] })),
    ({ role }) => role,
  )
  const byRow = new Map<Noisy, number>()
  const first = new Map<string, number>()
  for (const [role, members] of placed) {
    if (members.length < 10) continue
    const sorted = members.toSorted((a, b) => sampleOf(a.row) - sampleOf(b.row) || byAddress(a.row, b.row))
    const n_parts = rules.variance === 'of the role' ? 1 : Math.min(5, Math.max(1, Math.floor(sorted.length / 30)))
    for (let part = 0; part < n_parts; part++) {
      const own = sorted.slice(
        Math.floor((part * sorted.length) / n_parts),
        Math.floor(((part + 1) * sorted.length) / n_parts),
      )
      const variance = between(own)
      if (part === 0) first.set(role, variance)
      for (const { row } of own) if (row !== undefined) byRow.set(row, variance)
    }
  }
  const whole = between(off)
  const varianceOf = (one: Noisy): number => byRow.get(one) ?? first.get(one.role) ?? whole
  const line = lineOf(
    rows.map((one) => ({ terms: one.terms, value: one.raw, weight: 1 / (one.v + varianceOf(one)) })),
    kept,
  )
  return { tau2: all.map(varianceOf), line, n_fitted: rows.length }
}

/** Samples count to millionths; equal ones are in the order of addresses. */
const sampleOf = (row: Noisy | undefined): number => Math.round(1e6 * (row?.nEff ?? 0))
const byAddress = (a: Noisy | undefined, b: Noisy | undefined): number =>
  (a?.trader ?? '') < (b?.trader ?? '') ? -1 : 1
