import { clustersOf, isWithin, ranges, type Cluster } from './clusters.ts'
import type { Facts } from './facts.ts'
import { clvFillsOf, type ClvFill } from './fills.ts'
import { guardsOf, type Guard } from './guards.ts'
import { grouped } from './numbers.ts'
import { scoresOf, type Population, type Scored } from './populations.ts'
import { intervalOf, ratesOf, type Rates } from './rates.ts'
import type { Rules } from './rules.ts'

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
export type Score = Place & Rates & Scored & { lower: number; upper: number; n_resolved: number; scored_share: number }
export type Served = Score & { is_trusted: boolean }

export function oracleOf(facts: Facts, rules: Rules): Oracle {
  const fills = clvFillsOf(facts, rules)
  const clusters = clustersOf(fills, facts.at, rules)
  const guards = guardsOf(fills, clusters, rules)
  const broken = new Set<string>(guards.filter(({ is_held }) => is_held === false).map(({ kind }) => kind))
  const [populations, scores, served]: [Oracle['populations'], Score[], Served[]] = [[], [], []]
  const byTrader = grouped(fills, ({ fill, kind }) => `${kind} ${fill.trader}`)
  for (const range of ranges) {
    const made = kinds.map((kind) => {
      const own = clusters.filter((one) => one.kind === kind && one.range === range)
      return { kind, scored: scoresOf(own, rules) }
    })
    const [starts = [], markouts = []] = made.map(({ scored }) => scored?.traders ?? [])
    const first = new Set(starts.filter(({ nEff }) => nEff >= 10 - 1e-9).map(({ trader }) => trader))
    const second = new Set(markouts.map(({ trader }) => trader).filter((trader) => !first.has(trader)))
    for (const { kind, scored } of made) {
      if (scored === null) continue
      populations.push({ kind, range, ...scored.population })
      const shown = kind === 'event_start' ? first : second
      const rates = ratesOf(scored.traders, shown, rules)
      for (const one of scored.traders) {
        const own = (byTrader.get(`${kind} ${one.trader}`) ?? []).filter(
          (each) => (range === 'all' || each.closeAt <= facts.at) && isWithin(each, range, facts.at, rules),
        )
        const score = { kind, range, ...one, ...rates(one.trader), ...intervalOf(one), ...counted(own) }
        scores.push(score)
        const is_trusted = rules.guards === 'ignored' || !broken.has(kind)
        if (shown.has(one.trader)) served.push({ ...score, is_trusted })
      }
    }
  }
  return { fills, clusters, populations, scores, served, guards }
}

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
