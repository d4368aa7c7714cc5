import { grouped, sumOf } from '#test/oracle/blind/numbers.ts'
import type { Served } from '#test/oracle/blind/oracle.ts'
import { cashOf } from '#test/oracle/blind/prints.ts'
import { stylesOf, type Role } from '#test/oracle/blind/styles.ts'

import type { Fill, TraderFacts } from './facts.ts'
import { isOfVolume, type Account } from './ledger.ts'
import { isWithin, type Outcome, type Result } from './results.ts'
import type { Rules } from './rules.ts'
import { setsOf } from './sets.ts'
import { trendsOf } from './trends.ts'

/** The evidence of an archetype. */
export type Traits = {
  trader: string
  n_fills: number
  n_closed: number
  role: Role
  maker: number | null
  bothSides: number
  net: number
  sets: number
  dip: number
  rise: number
  longshot: number
  favorite: number
  volume: number
  top: number
  archetype: string
}

type Inputs = {
  facts: TraderFacts
  accounts: readonly Account[]
  outcomes: readonly Outcome[]
  results: readonly Result[]
  served: readonly Served[]
}

export function traitsOf({ facts, accounts, outcomes, results, served }: Inputs, rules: Rules): Traits[] {
  const styles = stylesOf(facts, rules.makerShare)
  const [trends, byTrader] = [trendsOf(facts), grouped(outcomes, ({ trader }) => trader)]
  const scores = new Map(served.filter(({ range }) => range === 'all').map((one) => [one.trader, one]))
  const closed = new Map(results.filter(({ range }) => range === 'all').map((one) => [one.trader, one.n_closed]))
  const returns = new Map(results.filter(({ range }) => range === 'all').map((one) => [one.trader, one.roi]))
  const volumes = accounts.map(({ fills }) =>
    sumOf(
      fills.filter(isOfVolume).filter(({ ts }) => isWithin(ts, '90d', facts.at)),
      cashOf,
    ),
  )
  const n_recent = volumes.filter((volume) => volume > 0).length
  return accounts.map((account, place) => {
    const { trader } = account
    const fills = account.fills.filter(isOfVolume)
    const own = (trends.get(trader) ?? []).filter(({ fill }) => isOfVolume(fill))
    const stake = sumOf(own, (one) => one.stake)
    const taken = own.filter(({ fill }) => fill.role !== 'maker')
    const takenStake = sumOf(taken, (one) => one.stake)
    const takenWith = (of: (one: (typeof own)[number]) => boolean): number =>
      takenStake === 0 ? 0 : sumOf(taken.filter(of), (one) => one.stake) / takenStake
    const staked = (of: (one: (typeof own)[number]) => boolean): number =>
      stake === 0 ? 0 : sumOf(own.filter(of), (one) => one.stake) / stake
    const known = fills.filter(({ role }) => role !== null)
    const volume = volumes[place] ?? 0
    const traits = {
      trader,
      n_fills: account.fills.length,
      n_closed: closed.get(trader) ?? 0,
      role: styles.get(trader)?.role ?? ('taker' as const),
      maker:
        known.length === 0
          ? null
          : sumOf(
              known.filter(({ role }) => role === 'maker'),
              cashOf,
            ) / sumOf(known, cashOf),
      ...sidesOf(fills),
      sets: setShareOf(facts, account, byTrader.get(trader) ?? [], rules),
      dip: takenWith(({ before, dayBefore }) => before !== null && dayBefore !== null && before < dayBefore),
      rise: takenWith(({ before, dayBefore }) => before !== null && dayBefore !== null && before - dayBefore >= 50_000),
      longshot: staked(({ fill }) => fill.price <= 200_000),
      favorite: staked(({ fill }) => fill.price >= 800_000),
      volume,
      top: volume === 0 ? 100 : (100 * (1 + volumes.filter((one) => one > volume).length)) / n_recent,
    }
    return {
      ...traits,
      archetype: archetypeOf(traits, { score: scores.get(trader), roi: returns.get(trader) ?? null }, rules),
    }
  })
}

/** Shares bought of outcome 0, or sold of the other one of two, go up; the others go down. */
function sidesOf(fills: readonly Fill[]): { bothSides: number; net: number } {
  const markets = [...grouped(fills, ({ market }) => market.id).values()].map((own) => {
    const [up, down] = [true, false].map((isUp) =>
      sumOf(
        own.filter(({ side, outcome }) => ((side === 'buy') === (outcome === 0)) === isUp),
        ({ size }) => size,
      ),
    )
    return { up: up ?? 0, down: down ?? 0 }
  })
  const total = sumOf(markets, ({ up, down }) => up + down)
  return {
    bothSides: markets.length === 0 ? 0 : markets.filter(({ up, down }) => up > 0 && down > 0).length / markets.length,
    net: total === 0 ? 0 : sumOf(markets, ({ up, down }) => Math.abs(up - down)) / total,
  }
}

/** The part of the total paid in that went into sets; a set that was bought and then merged counts once. */
function setShareOf(facts: TraderFacts, { fills }: Account, outcomes: readonly Outcome[], rules: Rules): number {
  const paid = sumOf(outcomes, ({ cost }) => cost)
  const bought = grouped(setsOf(facts, fills, rules), ({ cluster }) => cluster)
  const left = grouped(
    outcomes.flatMap(({ life }) =>
      life.realized
        .filter(({ kind }) => kind === 'merge' || kind === 'conversion')
        .map(({ cost }) => ({ cluster: life.market.id, cost })),
    ),
    ({ cluster }) => cluster,
  )
  const clusters = new Set([...bought.keys(), ...left.keys()])
  const costOf = (rows: readonly { cost: number }[] | undefined): number => sumOf(rows ?? [], ({ cost }) => cost)
  const cost = sumOf(clusters, (one) => Math.max(costOf(bought.get(one)), costOf(left.get(one))))
  return paid === 0 ? 0 : Math.min(1, cost / paid)
}

type Judged = { score: Served | undefined; roi: number | null }

function archetypeOf(one: Omit<Traits, 'archetype'>, { score, roi }: Judged, rules: Rules): string {
  const { role, sets, dip, rise, longshot, favorite, volume, top } = one
  const below = (q: number | null | undefined, limit: number): boolean =>
    score !== undefined && score.is_trusted && q !== null && q !== undefined && q <= limit
  const skill = score?.skill ?? 0
  if (one.n_fills < 20 || one.n_closed < 10) return 'unproven'
  if (role === 'market_maker') return 'market_maker'
  if (sets >= 0.5) return 'arbitrageur'
  if (below(score?.q, 0.1) && skill > 0) return 'sharp'
  if (below(score?.q_below, 0.1) && skill < 0 && roi !== null && roi < 0) return 'fade_target'
  if (below(score?.q_wide, 0.2) && role === 'taker' && skill > 0 && dip >= 0.6) return 'value_hunter'
  if (rise >= 0.6) return 'momentum_chaser'
  if (longshot >= rules.longshotShare) return 'longshot_hunter'
  if (favorite >= 0.6) return 'favorite_backer'
  return top <= 1 && volume >= 100_000e6 ? 'whale' : 'generalist'
}
