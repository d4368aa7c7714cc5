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
export type Score = Place &
  Rates &
  Scored & { lower: number; upper: number; n_resolved: number; scored_share: number }
export type Served = Score & { is_trusted: boolean }

export function oracleOf(facts: Facts, rules: Rules): Oracle {
  const fills = clvFillsOf(facts, rules)
  const clusters = clustersOf(fills, facts.at, rules)
  const guards = guardsOf(fills, clusters, rules)
  const broken = new Set(guards.filter(({ is_held }) => is_held === false).map(({ kind }) => kind as string))
  const [populations, scores, served]: [Oracle['populations'], Score[], Served[]] = [[], [], []]
  const byTrader = grouped(fills, ({ fill, kind }) => `${kind} ${fill.trader}`)
  for (const range of ranges) {
    const made = (['event_start', 'markout_24h'] as const).map((kind) => {
      const own = clusters.filter((one) => one.kind === kind && one.range === range)
      return { kind, isThere: own.length > 0, ...scoresOf(own, rules) }
    })
    const [starts = [], markouts = []] = made.map(({ traders }) => traders)
    const first = new Set(starts.filter(({ nEff }) => nEff >= 10 - 1e-9).map(({ trader }) => trader))
    const second = new Set(markouts.map(({ trader }) => trader).filter((trader) => !first.has(trader)))
    for (const { kind, isThere, population, traders } of made) {
      if (isThere) populations.push({ kind, range, ...population })
      const shown = kind === 'event_start' ? first : second
      const rates = ratesOf(traders, shown, rules)
      for (const one of traders) {
        const { lower, upper } = intervalOf(one)
        const own = (byTrader.get(`${kind} ${one.trader}`) ?? []).filter(
          (each) => (range === 'all' || each.closeAt <= facts.at) && isWithin(each, range, facts.at, rules),
        )
        const scored = own.filter(({ leftOut }) => leftOut === null)
        const score: Score = {
          kind,
          range,
          ...one,
          ...(rates.get(one.trader) ?? { q: null, q_below: null, q_wide: null }),
          lower,
          upper,
          n_resolved: scored.filter(({ isResolved }) => isResolved).length,
          scored_share: scored.length / own.length,
        }
        scores.push(score)
        const is_trusted = rules.guards === 'ignored' || !broken.has(kind)
        if (shown.has(one.trader)) served.push({ ...score, is_trusted })
      }
    }
  }
  return { fills, clusters, populations, scores, served, guards }
}
