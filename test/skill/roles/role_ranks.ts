import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import type { RoleWorld } from '#sim/markets/roles/role_world.ts'
import { scoreWorld, type Tamper } from '#test/skill/build.ts'
import { load } from '#test/skill/load.ts'

import { loadPublished, publishedTables } from './published.ts'

const day = 86_400_000_000
/** Ranks are as of this day. */
export const rank_day = 90

export const orders = ['score', 'raw', 'pnl', 'roi', 'win_rate'] as const
export const targets = ['visible', 'payout', 'paid'] as const

/**
 * Spearman's correlation of a published order of one role with what came after: the true edge that a close sees, the
 * true edge against payouts, and what was paid.
 */
const rank = z.object({
  role: z.string(),
  order: z.enum(orders),
  target: z.enum(targets),
  n: z.coerce.number(),
  spearman: z.number().nullable(),
})
export type Rank = z.infer<typeof rank>

export async function ranksAt(made: RoleWorld, tamper: Tamper): Promise<Rank[]> {
  const { world } = made
  const at = world.opensAt + rank_day * day
  return scoreWorld({ world, at, wanted: publishedTables, tamper }, async (connection) => {
    await loadPublished(connection)
    await loadAfter(connection, made, at)
    const reader = await connection.runAndReadAll(spearmans)
    return z.array(rank).parse(reader.getRowObjectsJson())
  })
}

/** Makes `after`: what each trader with at least 10 fills after the instant made of them, by its stakes. */
async function loadAfter(connection: DuckDBConnection, { world, truth }: RoleWorld, at: number): Promise<void> {
  const { fills, matches, markets, traders } = world
  const rows = Array.from({ length: fills.length }, (_, row) => row).filter((row) => {
    const match = fills.match[row] ?? 0
    const at_us = (matches.ts_s[match] ?? 0) * 1e6
    const isTrade = (matches.market[match] ?? -1) >= 0 && (fills.trader[row] ?? -1) >= 0
    return isTrade && at_us > at && at_us <= world.now && !Number.isNaN(truth.markout[match])
  })
  const edges = (priceOf: (match: number) => number | null): (number | null)[] =>
    rows.map((row) => {
      const first = priceOf(fills.match[row] ?? 0)
      if (first === null) return null
      const worth = fills.outcome[row] === 0 ? first : 1 - first
      const [size, cash, fee] = [fills.size[row] ?? 0, fills.cash[row] ?? 0, fills.fee[row] ?? 0]
      return 100 * (fills.side[row] === 0 ? worth - (cash + fee) / size : (cash - fee) / size - worth)
    })
  const seen = (match: number): number | null => {
    const start = truth.start[match] ?? Number.NaN
    return Number.isNaN(start) ? (truth.markout[match] ?? null) : start
  }
  const paid = (match: number): number | null => {
    const market = markets[matches.market[match] ?? -1]
    return market === undefined || market.payouts === null || market.resolvedAt_s * 1e6 > world.now
      ? null
      : market.payouts[0] / 1e6
  }
  await load(connection, 'later_fills', {
    trader: ['varchar', rows.map((row) => traders[fills.trader[row] ?? -1]?.wallet ?? '')],
    is_maker: ['boolean', rows.map((row) => fills.isTaker[row] === 0)],
    risk: ['double', rows.map((row) => riskOf(fills.side[row] ?? 0, fills.cash[row] ?? 0, fills.size[row] ?? 0))],
    visible: ['double', edges(seen)],
    payout: ['double', edges((match) => matches.expected[match] ?? null)],
    paid: ['double', edges(paid)],
  })
  await connection.run(`create or replace temp table after as
    with caps as (select trader, quantile_cont(risk, 0.95) as cap from later_fills group by trader),
    weighed as (select f.*, least(f.risk, c.cap) as w from later_fills f join caps c using (trader))
    select trader, sum(visible * w) / sum(w) as visible, sum(payout * w) / sum(w) as payout,
      sum(paid * w) filter (paid is not null) / nullif(sum(w) filter (paid is not null), 0) as paid,
      case when avg(is_maker::integer) >= 0.5 then 'maker' else 'taker' end as true_role
    from weighed group by trader having count(*) >= 10`)
}

const riskOf = (side: number, cash: number, size: number): number => (side === 0 ? cash : size - cash) / 1e6

/** Tied values share the middle of their ranks. */
const middle = (value: string): string =>
  `rank() over (partition by role, "order", target order by ${value})
    + (count(*) over (partition by role, "order", target, ${value}) - 1) / 2`

const spearmans = `with listed as (
    select w.*, k.raw
    from wallets w
    left join kinds k on k.trader = w.trader and k.kind = w.kind
    where w.unlisted_code is null and w.n_eff >= 10 and w.score is not null
  ),
  joined as (select * from listed join after using (trader)),
  ordered as (
    ${orders.map((order) => `select trader, true_role as role, '${order}' as "order", ${order}::double as value, visible, payout, paid from joined`).join(' union all ')}
  ),
  aimed as (
    ${targets.map((target) => `select role, "order", '${target}' as target, value, ${target} as result from ordered where value is not null and ${target} is not null`).join(' union all ')}
  ),
  ranked as (select role, "order", target, ${middle('value')} as a, ${middle('result')} as b from aimed)
  select role, "order", target, count(*) as n, case when isfinite(corr(a, b)) then corr(a, b) end as spearman
  from ranked group by all order by all`
