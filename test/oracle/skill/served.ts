import type { Estimate } from './estimates.ts'
import type { Kind, Range } from './samples.ts'

export type Kinded = Estimate & { kind: Kind; range: Range }
export type Rates = { q: number | null; q_below: number | null; q_wide: number | null }
/** The kind of a trader and range that is served. */
export type Served = Kinded & Rates & { is_trusted: boolean }

/** The served kind of each trader, and the false discovery rates over both kinds of those whose guard is not broken. */
export function servedOf(estimates: readonly Kinded[], broken: ReadonlySet<string>): Served[] {
  const traders = new Map<string, Kinded[]>()
  for (const estimate of estimates) traders.set(estimate.trader, [...(traders.get(estimate.trader) ?? []), estimate])
  const tested = [...traders].map(([trader, list]) => ({
    trader,
    list: list.filter(({ kind }) => !broken.has(kind)),
  }))
  const rates = (n_least: number, p: (estimate: Kinded) => number): ReadonlyMap<string, number> =>
    discoveries(
      tested.flatMap(({ trader, list }) => {
        const ps = list.filter(({ n_eff }) => n_eff >= n_least - 1e-9).map(p)
        return ps.length === 0 ? [] : [{ trader, p: Math.min(1, Math.min(...ps) * ps.length) }]
      }),
    )
  const q = rates(20, ({ p_above }) => p_above)
  const q_below = rates(20, ({ p_below }) => p_below)
  const q_wide = rates(10, ({ p_above }) => p_above)
  return [...traders].flatMap(([trader, list]) => {
    const [first] = list.toSorted(
      (a, b) =>
        Number(broken.has(a.kind)) - Number(broken.has(b.kind)) ||
        Number(b.n_eff >= 10 - 1e-9) - Number(a.n_eff >= 10 - 1e-9) ||
        Math.abs(b.raw - b.mu) / Math.sqrt(b.v) - Math.abs(a.raw - a.mu) / Math.sqrt(a.v),
    )
    if (first === undefined) return []
    const own = { q: q.get(trader) ?? null, q_below: q_below.get(trader) ?? null, q_wide: q_wide.get(trader) ?? null }
    return [{ ...first, ...own, is_trusted: !broken.has(first.kind) }]
  })
}

/** Benjamini and Hochberg's rate of each trader. */
function discoveries(tests: readonly { trader: string; p: number }[]): ReadonlyMap<string, number> {
  const sorted = tests.toSorted((a, b) => b.p - a.p)
  const rates = new Map<string, number>()
  let least = 1
  for (const [place, { trader, p }] of sorted.entries()) {
    least = Math.min(least, (p * sorted.length) / (sorted.length - place))
    rates.set(trader, least)
  }
  return rates
}
