import type { Cluster } from './clusters.ts'
import { grouped, percentile, sumOf } from './numbers.ts'
import type { Rules } from './rules.ts'

/** A trader's clusters of a kind and range, summed up. */
export type Observed = {
  trader: string
  n: number
  raw: number
  nEff: number
  spread: number
  freedom: number
  prices: number
  made: number
}

/** A trader's score: `v` is the variance of `raw` due to chance, `mu` the expected score of traders like this one. */
export type Scored = Observed & { v: number; mu: number; clv: number; se: number }

/** The common parameters of the traders of a kind and range. */
export type Population = {
  n_traders: number
  n_pooled: number
  s2: number
  s2_price: number
  tau2: number
  b0: number
  b1: number
}

/** The scores of a kind and range; null if its noise is unknown. */
export function scoresOf(
  clusters: readonly Cluster[],
  rules: Rules,
): { population: Population; traders: Scored[] } | null {
  const groups = grouped(clusters, ({ trader }) => trader)
  const observed = [...groups.values()].map((own) => observe(own, rules))
  const pooled = observed.filter(({ n }) => n >= 10)
  const above = sumOf(pooled, ({ nEff, spread }) => nEff ** 2 * spread)
  const s2 = above / sumOf(pooled, ({ nEff, freedom }) => nEff * freedom)
  const s2_price = above / sumOf(pooled, ({ nEff, freedom, prices }) => nEff * freedom * prices)
  if (!(s2 > 1e-6)) return null
  const counts = { n_traders: observed.length, n_pooled: pooled.length }
  const noisy = observed.map((one) => ({ ...one, v: noiseOf(one, s2_price, rules) / one.nEff }))
  const tau2 = betweenOf(noisy, rules)
  const last = lineOf(noisy, (one) => 1 / (one.v + tau2), rules)
  const traders = noisy.map((one) => {
    const mu = last.b0 + last.b1 * one.made
    const share = tau2 / (tau2 + one.v)
    return { ...one, mu, clv: mu + share * (one.raw - mu), se: Math.sqrt((tau2 * one.v) / (tau2 + one.v)) }
  })
  return { population: { ...counts, s2, s2_price, tau2, b0: last.b0, b1: last.b1 }, traders }
}

function observe(clusters: readonly Cluster[], { isCapped }: Rules): Observed {
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
  return {
    trader: clusters[0]?.trader ?? '',
    n,
    raw,
    nEff: sum ** 2 / squares,
    spread: isOne ? 0 : ((n / (n - 1)) * sumOf(rows, ({ weight, edge }) => (weight * (edge - raw)) ** 2)) / sum ** 2,
    freedom: isOne ? 0 : (n / (n - 1)) * (1 - (2 * power(3)) / (sum * squares) + squares / sum ** 2),
    prices: sumOf(rows, ({ weight, variance }) => weight ** 2 * variance) / squares,
    made: sumOf(clusters, (one) => one.made) / sumOf(clusters, ({ risk }) => risk),
  }
}

/** The variance of one cluster of a trader. */
function noiseOf({ nEff, spread, freedom, prices }: Observed, s2_price: number, { priorWeight }: Rules): number {
  const prior = s2_price * prices
  const own = nEff - 1
  return own < 1e-6 ? prior : (priorWeight * prior + (own * nEff * spread) / freedom) / (priorWeight + own)
}

type Noisy = Observed & { v: number }
type Line = { b0: number; b1: number; mean: number; across: number; n_terms: 1 | 2 }

/** The weighted line of `raw` over the part that a trader made. */
function lineOf(rows: readonly Noisy[], weightOf: (row: Noisy) => number, { prior }: Rules): Line {
  const total = sumOf(rows, weightOf)
  const mean = sumOf(rows, (row) => weightOf(row) * row.made) / total
  const level = sumOf(rows, (row) => weightOf(row) * row.raw) / total
  const made = rows.map((row) => row.made)
  const across = sumOf(rows, (row) => weightOf(row) * (row.made - mean) ** 2)
  if (prior === 'mean' || rows.length < 10 || Math.max(...made) - Math.min(...made) <= 1e-6) {
    return { b0: level, b1: 0, mean, across, n_terms: 1 }
  }
  const b1 = sumOf(rows, (row) => weightOf(row) * (row.made - mean) * (row.raw - level)) / across
  return { b0: level - b1 * mean, b1, mean, across, n_terms: 2 }
}

/** tau2: the variance between traders beyond chance. */
function betweenOf(rows: readonly Noisy[], rules: Rules): number {
  const weightOf = ({ v }: Noisy): number => 1 / v
  const { b0, b1, mean, across, n_terms } = lineOf(rows, weightOf, rules)
  if (rows.length === n_terms) return 0
  const q = sumOf(rows, (row) => weightOf(row) * (row.raw - b0 - b1 * row.made) ** 2)
  const total = sumOf(rows, weightOf)
  const lever = (row: Noisy): number => 1 / total + (n_terms === 1 ? 0 : (row.made - mean) ** 2 / across)
  const trace = total - sumOf(rows, (row) => weightOf(row) ** 2 * lever(row))
  return Math.max(0, (q - (rows.length - n_terms)) / trace)
}
