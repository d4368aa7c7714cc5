import type { Fill } from '#test/oracle/blind/facts.ts'
import { grouped, sumOf } from '#test/oracle/blind/numbers.ts'
import { cashOf } from '#test/oracle/blind/prints.ts'
import { SECOND } from '#time.ts'

import type { TraderFacts } from './facts.ts'
import type { Rules } from './rules.ts'

/** Complete sets bought at once below a dollar; `cost` is before fees. */
export type Bought = { cluster: string; ts: number; n_outcomes: number; size: number; cost: number }

/** The sets of a trader: all outcomes of a market, or YES of all candidates of a neg-risk group. */
export function setsOf(facts: TraderFacts, fills: readonly Fill[], rules: Rules): Bought[] {
  const bought = fills.filter(({ side, size }) => side === 'buy' && size > 0)
  const candidates = grouped(facts.groups, ([, { id }]) => id)
  const ofMarkets = [...grouped(bought, ({ market }) => market.id)].flatMap(([cluster, own]) =>
    sessionsOf(own, rules).flatMap((session) =>
      setOf(cluster, session, session[0]?.market.tokenIds ?? [], ({ tokenId }) => tokenId, rules),
    ),
  )
  const ofYes = bought.filter(({ outcome, market }) => outcome === 0 && facts.groups.has(market.id))
  const ofGroups = [...grouped(ofYes, ({ market }) => facts.groups.get(market.id)?.id ?? '')].flatMap(
    ([cluster, own]) => {
      const markets = (candidates.get(cluster) ?? []).map(([id]) => id)
      return sessionsOf(own, rules).flatMap((session) =>
        setOf(cluster, session, markets, ({ market }) => market.id, rules),
      )
    },
  )
  return [...ofMarkets, ...ofGroups]
}

/** Purchases of which at most 60 seconds separate one from the next. */
function sessionsOf(fills: readonly Fill[], { setGap_s }: Rules): Fill[][] {
  const sessions: Fill[][] = []
  for (const fill of fills.toSorted((a, b) => a.ts - b.ts)) {
    const session = sessions.at(-1)
    if (session !== undefined && fill.ts - (session.at(-1)?.ts ?? 0) <= setGap_s * SECOND) session.push(fill)
    else sessions.push([fill])
  }
  return sessions
}

function setOf(
  cluster: string,
  session: readonly Fill[],
  parts: readonly string[],
  partOf: (fill: Fill) => string,
  rules: Rules,
): Bought[] {
  const sums = [...grouped(session, partOf).values()].map((own) => ({
    size: sumOf(own, ({ size }) => size),
    cash: sumOf(own, cashOf),
  }))
  const price = sumOf(sums, ({ cash, size }) => cash / size)
  if (sums.length < parts.length || parts.length < 2 || (rules.sets === 'below a dollar' && price >= 1 - 1e-12))
    return []
  const size = Math.min(...sums.map((sum) => sum.size))
  return [{ cluster, ts: session[0]?.ts ?? 0, n_outcomes: parts.length, size, cost: Math.round(size * price) }]
}
