import { clustersOf, isWithin, ranges, type Cluster } from './clusters.ts'
import type { Facts } from './facts.ts'
import { clvFillsOf, type ClvFill } from './fills.ts'
import { guardsOf, type Guard } from './guards.ts'
import { grouped } from './numbers.ts'
import { scoresOf, type Population, type Scored } from './populations.ts'
import { chancesOf, intervalOf, ratesOf, type Chances, type Rates } from './rates.ts'
import type { Rules } from './rules.ts'
import { stylesOf } from './styles.ts'

/** Closing line value as its documentation defines it, in the tables that the models make. */
export type Oracle = {
  fills: ClvFill[]
  clusters: Cluster[]
  populations: (Population & Place)[]
  scores: Score[]
  served: Served[]
  guards: Guard[]
}
type Place = { kind: string; range: string }
export type Score = Place &
  Scored &
  Chances & { lower: number; upper: number; n_resolved: number; scored_share: number }
export type Served = Score & Rates & { is_trusted: boolean }

export function oracleOf(facts: Facts, rules: Rules): Oracle {
  const fills = clvFillsOf(facts, rules)
  const styles = stylesOf(facts)
  const clusters = clustersOf(fills, facts.at, rules)
  const guards = guardsOf(fills, facts.at, rules)
  const broken = new Set<string>(guards.filter(({ is_held }) => is_held === false).map(({ kind }) => kind))
  const isTrusted = (kind: string): boolean => rules.guards === 'ignored' || !broken.has(kind)
  const [populations, scores, served]: [Oracle['populations'], Score[], Served[]] = [[], [], []]
  const byTrader = grouped(fills, ({ fill, kind }) => `${kind} ${fill.trader}`)
  for (const range of ranges) {
    const made = kinds.flatMap((kind): Score[] => {
      const own = clusters.filter((one) => one.kind === kind && one.range === range)
      const scored = scoresOf(own, styles, rules)
      if (scored === null) return []
      populations.push({ kind, range, ...scored.population })
      return scored.traders.map((one) => {
        const fillsOfKind = (byTrader.get(`${kind} ${one.trader}`) ?? []).filter(
          (each) => (range === 'all' || each.closeAt <= facts.at) && isWithin(each, range, facts.at, rules),
        )
        return { kind, range, ...one, ...chancesOf(one, rules), ...intervalOf(one), ...counted(fillsOfKind) }
      })
    })
    scores.push(...made)
    const rates = ratesOf(made.filter(({ kind }) => isTrusted(kind)))
    for (const own of grouped(made, ({ trader }) => trader).values()) {
      const [best] = own.toSorted(
        (a, b) =>
          Number(isTrusted(b.kind)) - Number(isTrusted(a.kind)) ||
          Number(b.nEff >= 10 - 1e-9) - Number(a.nEff >= 10 - 1e-9) ||
          farOf(b) - farOf(a),
      )
      if (best !== undefined) served.push({ ...best, ...rates(best.trader), is_trusted: isTrusted(best.kind) })
    }
  }
  return { fills, clusters, populations, scores, served, guards }
}

/** The distance from the role, in standard errors. */
const farOf = ({ raw, mu, v }: Scored): number => Math.abs(raw - mu) / Math.sqrt(v)

const kinds = ['event_start', 'markout_24h'] as const

/**
 * The share of a trader's fills that are scored, to six places, and the number of scored fills in markets that ended
 * early.
 */
function counted(fills: readonly ClvFill[]): { n_resolved: number; scored_share: number } {
  const scored = fills.filter(({ leftOut }) => leftOut === null)
  return {
    n_resolved: scored.filter(({ isResolved }) => isResolved).length,
    scored_share: Math.round((1e6 * scored.length) / fills.length) / 1e6,
  }
}
