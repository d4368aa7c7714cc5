import { grouped } from '#test/oracle/blind/numbers.ts'
import type { Served } from '#test/oracle/blind/oracle.ts'

import type { Account } from './ledger.ts'
import type { Result } from './results.ts'
import type { Rules } from './rules.ts'
import type { Traits } from './traits.ts'
import type { Wash } from './washes.ts'

export type Sort = 'pnl' | 'win_rate' | 'clv'
/** A trader on a list, or in a profile. `clv` is in whole millionths of a point; null if none is served. */
export type Shown = { result: Result; traits: Traits; score: Served | undefined; clv: number | null }
export type Listed = Shown & { sort: Sort; rank: number }

export type Judged = {
  accounts: readonly Account[]
  results: readonly Result[]
  traits: readonly Traits[]
  washes: ReadonlyMap<string, Wash>
  served: readonly Served[]
}

export const isComplete = ({ untracked, hasUnknownConversion, isRead }: Account): boolean =>
  isRead && untracked === 0 && !hasUnknownConversion

/** The results, traits and served score of each trader and range. */
export function shownOf({ results, traits, served }: Judged): Shown[] {
  const proofs = new Map(traits.map((one) => [one.trader, one]))
  const scores = new Map(served.map((one) => [`${one.range} ${one.trader}`, one]))
  return results.flatMap((result) => {
    const own = proofs.get(result.trader)
    if (own === undefined) return []
    const score = scores.get(`${result.range} ${result.trader}`)
    const isServed = score !== undefined && score.is_trusted
    return [{ result, traits: own, score, clv: isServed ? Math.round(1e6 * score.skill) : null }]
  })
}

/** The leaderboards: of each range and sort, by the served value, then by address. */
export function listsOf(judged: Judged, rules: Rules): Listed[] {
  const complete = new Map(judged.accounts.map((one) => [one.trader, isComplete(one)]))
  const eligible = shownOf(judged).filter(({ result: { trader, n_closed }, traits: { archetype } }) => {
    const isHonest = rules.listed === 'wash-like too' || judged.washes.get(trader)?.isWashLike !== true
    const isKnown = rules.listed === 'partial too' || complete.get(trader) === true
    const isProven = rules.listed === 'unproven too' || archetype !== 'unproven'
    return isProven && isHonest && isKnown && n_closed > 0
  })
  return [...grouped(eligible, ({ result }) => result.range).values()].flatMap((own) => [
    ...ranked('pnl', own, ({ result }) => (rules.orderBy === 'served' ? centsOf(result.realized) : result.realized)),
    ...ranked(
      'win_rate',
      own.filter(({ result }) => result.n_closed >= rules.leastClosed),
      ({ result }) => Math.round(1e6 * result.winRate),
    ),
    ...ranked(
      'clv',
      own.filter(({ score, clv }) => clv !== null && (score?.nEff ?? 0) >= rules.leastClusters - 1e-9),
      ({ clv }) => clv ?? 0,
    ),
  ])
}

function ranked(sort: Sort, shown: readonly Shown[], valueOf: (one: Shown) => number): Listed[] {
  return shown
    .toSorted((a, b) => valueOf(b) - valueOf(a) || (a.result.trader < b.result.trader ? -1 : 1))
    .map((one, place) => ({ ...one, sort, rank: place + 1 }))
}

/** Millionths of a dollar as whole cents, a half away from 0. */
export const centsOf = (usd: number): number => Math.sign(usd) * Math.round(Math.abs(usd) / 10_000)
