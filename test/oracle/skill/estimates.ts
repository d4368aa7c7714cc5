import { upperTail } from '#test/oracle/blind/numbers.ts'

import { dot, fitOf, quadratic, usedTerms } from './fits.ts'
import type { Sample } from './samples.ts'
import type { Style } from './styles.ts'

/** The estimate of a trader's closing line value, and what it follows from. */
export type Estimate = Sample & {
  v: number
  mu: number
  mu_se: number
  tau2: number
  clv: number
  se: number
  skill: number
  skill_se: number
  p_above: number
  p_below: number
  lower: number
  upper: number
}

type Noisy = Sample & { v: number; h: number[]; role: string }

/** The estimates of a kind and range; none where the clusters do not vary. */
export function estimatesOf(samples: readonly Sample[], styles: ReadonlyMap<string, Style>): Estimate[] {
  const pooled = samples.filter(({ n }) => n >= 10)
  const total = (term: (sample: Sample) => number): number => pooled.reduce((sum, sample) => sum + term(sample), 0)
  const observed = total(({ n_eff, spread }) => n_eff ** 2 * spread)
  if (!(observed / total(({ n_eff, factor }) => n_eff * factor) > 1e-6)) return []
  const s2_price = observed / total(({ n_eff, factor, priced }) => n_eff * factor * priced)
  const noisy = samples.map((sample): Noisy => {
    const { n_eff, spread, factor, priced, made } = sample
    const prior = s2_price * priced
    const s2 = n_eff - 1 < 1e-6 ? prior : (4 * prior + ((n_eff - 1) * n_eff * spread) / factor) / (4 + n_eff - 1)
    const style = styles.get(sample.trader)
    if (style === undefined) throw new Error(`${sample.trader}: no style; expected one`)
    const h = [1, made, made * style.both, made * (1 - style.net)]
    return { ...sample, v: s2 / n_eff, h, role: style.role }
  })
  return shrunk(noisy)
}

function shrunk(traders: readonly Noisy[]): Estimate[] {
  const large = traders.filter(({ n_eff }) => n_eff >= 10 - 1e-9)
  const fitted = large.length < 10 ? traders : large
  const rows = fitted.map(({ h, raw }) => ({ h, y: raw }))
  const used = usedTerms(rows)
  const plain = fitOf(
    rows,
    rows.map(() => 1),
    used,
  )
  const residuals = new Map(
    fitted.map(({ trader, h, raw, v }) => [
      trader,
      { e: raw - dot(h, plain.b), free: 1 - quadratic(h, plain.inverse), v },
    ]),
  )
  const tau2Of = (part: readonly Noisy[]): number => {
    const list = part.flatMap(({ trader }) => residuals.get(trader) ?? [])
    const free = list.reduce((sum, row) => sum + row.free, 0)
    if (free < 1e-9) return 0
    const moment = list.reduce((sum, row) => sum + row.e ** 2 - row.free * row.v, 0) / free
    return Math.max(moment, Math.sqrt(2 * list.reduce((sum, row) => sum + row.free * row.v ** 2, 0)) / free)
  }
  const skillOf = new Map<string, number>()
  for (const role of new Set(traders.map((trader) => trader.role))) {
    const parts = partsOf(fitted.filter((trader) => trader.role === role))
    const all = parts === null ? tau2Of(fitted) : 0
    const variances = parts?.map(tau2Of) ?? []
    for (const { trader } of traders.filter((each) => each.role === role)) {
      const place = parts?.findIndex((part) => part.some((each) => each.trader === trader)) ?? 0
      skillOf.set(trader, parts === null ? all : (variances[Math.max(0, place)] ?? 0))
    }
  }
  const weights = fitted.map(({ trader, v }) => 1 / (v + (skillOf.get(trader) ?? 0)))
  const line = fitOf(rows, weights, used)
  const pulls = fitted.map(({ h, raw }, k) => ({ h, pull: (weights[k] ?? 0) * (raw - dot(h, line.b)) }))
  return traders.map((trader) => {
    const { h, raw, v } = trader
    const tau2 = skillOf.get(trader.trader) ?? 0
    const mu = dot(h, line.b)
    const lead = line.inverse.map((cells) => dot(cells, h))
    const u = pulls.reduce((sum, each) => sum + (each.pull * dot(lead, each.h)) ** 2, 0)
    const b = tau2 / (tau2 + v)
    const clv = mu + b * (raw - mu)
    const se = Math.sqrt(b * v + (1 - b) ** 2 * u)
    return {
      ...trader,
      mu,
      mu_se: Math.sqrt(u),
      tau2,
      clv,
      se,
      skill: clv - Math.max(0, mu),
      skill_se: mu > 0 ? Math.sqrt(b * v + b ** 2 * u) : se,
      ...chancesOf(trader, mu, u),
    }
  })
}

/** The fitted traders of a role by the size of their samples, in parts; null if they are too few for their own. */
function partsOf(fitted: readonly Noisy[]): Noisy[][] | null {
  const n = fitted.length
  if (n < 10) return null
  const six = (value: number): number => Math.round(value * 1e6) / 1e6
  const sorted = fitted.toSorted((a, b) => six(a.n_eff) - six(b.n_eff) || (a.trader < b.trader ? -1 : 1))
  const n_parts = Math.max(1, Math.min(5, Math.floor(n / 30)))
  return Array.from({ length: n_parts }, (_, part) =>
    sorted.slice(Math.floor((part * n) / n_parts), Math.floor(((part + 1) * n) / n_parts)),
  )
}

type Chances = Pick<Estimate, 'p_above' | 'p_below' | 'lower' | 'upper'>

function chancesOf({ raw, v, n_eff }: Noisy, mu: number, u: number): Chances {
  const f = 4 + Math.max(0, n_eff - 1)
  const z = 1.959963984540054
  const t =
    z +
    (z ** 3 + z) / (4 * f) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * f ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * f ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * f ** 4)
  return {
    p_above: tailOf((raw - Math.max(0, mu)) / Math.sqrt(mu <= 0 ? v : v + u), f),
    p_below: tailOf((Math.min(0, mu) - raw) / Math.sqrt(mu >= 0 ? v : v + u), f),
    lower: raw - t * Math.sqrt(v),
    upper: raw + t * Math.sqrt(v),
  }
}

/** The upper tail of Student's distribution, by Wallace. */
const tailOf = (t: number, f: number): number =>
  upperTail(((Math.sign(t) * (8 * f + 1)) / (8 * f + 3)) * Math.sqrt(f * Math.log1p(t ** 2 / f)))
