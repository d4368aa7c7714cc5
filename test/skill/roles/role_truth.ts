import type { DuckDBConnection } from '@duckdb/node-api'

import { habits } from '#sim/markets/roles/habits.ts'
import type { RoleWorld } from '#sim/markets/roles/role_world.ts'
import { load } from '#test/skill/load.ts'

/**
 * Makes `true_traders` (strategy, role, whether it knows or copies who knows, group) and `true_fills`: of each fill the
 * edge in percentage points, fees included, against what it pays in expectation (`payout_edge`), and against the
 * expected price at the announced start and a day later (`start_edge`, `markout_edge`), all for who knows what the
 * fill's taker knew. `seq` is that of the lake.
 *
 * A wallet's role is that of most of its fills.
 */
export async function loadRoleTruth(connection: DuckDBConnection, { world, truth }: RoleWorld): Promise<void> {
  const { fills, matches } = world
  const rows = Array.from({ length: fills.length }, (_, row) => row).filter((row) => {
    const match = fills.match[row] ?? 0
    return (matches.market[match] ?? -1) >= 0 && (fills.trader[row] ?? -1) >= 0 && !Number.isNaN(truth.markout[match])
  })
  const edgesBy = (prices: Float64Array): (number | null)[] => rows.map((row) => edgeOf(world, row, prices))
  await load(connection, 'true_edges', {
    fill: ['integer', rows],
    payout_edge: ['double', edgesBy(matches.expected)],
    start_edge: ['double', edgesBy(truth.start)],
    markout_edge: ['double', edgesBy(truth.markout)],
  })
  const { players } = truth
  await load(connection, 'cast_players', {
    trader: ['varchar', players.map(({ wallet }) => wallet)],
    strategy: ['varchar', players.map(({ strategy }) => strategy)],
    is_skilled: ['boolean', players.map(({ strategy }) => habits[strategy].isSkilled)],
    is_copier: ['boolean', players.map(({ leader }) => leader !== null)],
    acts_with: ['integer', players.map(({ group }) => group)],
  })
  // Scoring numbers fills anew: they are found again by what they are. Rows that are alike have one edge.
  await connection.run(`create or replace temp table true_fills as
    select f.trader, f.tx, f.market_id, o.outcome, f.side, f.size, f.ts, any_value(f.role) as role,
      any_value(e.payout_edge) as payout_edge, any_value(e.start_edge) as start_edge,
      any_value(e.markout_edge) as markout_edge
    from lake.fills f
    join true_edges e on e.fill = f.seq
    join core.outcomes o on o.market_id = f.market_id and o.token_id = f.token_id
    group by all`)
  await connection.run(`create or replace temp table true_traders as
    select c.*, case when m.maker_share >= 0.5 then 'maker' else 'taker' end as true_role
    from cast_players c
    join (select trader, avg((role = 'maker')::integer) as maker_share from lake.fills group by trader) m using (trader)`)
}

function edgeOf({ fills }: RoleWorld['world'], row: number, prices: Float64Array): number | null {
  const first = prices[fills.match[row] ?? 0] ?? Number.NaN
  if (Number.isNaN(first)) return null
  const worth = fills.outcome[row] === 0 ? first : 1 - first
  const [size, cash, fee] = [fills.size[row] ?? 0, fills.cash[row] ?? 0, fills.fee[row] ?? 0]
  return 100 * (fills.side[row] === 0 ? worth - (cash + fee) / size : (cash - fee) / size - worth)
}

/**
 * The true edges of each trader and kind over its scored fills, weighted as the score weighs them: `visible` against
 * the expected close of the kind, `payout` against what is paid. `role_visible` and `role_payout` are the means of the
 * traders of its role who know nothing, with an effective sample of 10.
 */
export const trueScores = `create or replace temp table true_scores as
  with clusters as (
    select f.trader, f.kind, f.category, f.close_at::date as day, sum(f.risk_usd::double) as risk,
      sum(case f.kind when 'event_start' then t.start_edge else t.markout_edge end * f.risk_usd::double) / sum(f.risk_usd::double) as visible,
      sum(t.payout_edge * f.risk_usd::double) / sum(f.risk_usd::double) as payout
    from metrics.clv_fills f
    join true_fills t using (trader, tx, market_id, outcome, side, size)
    where f.left_out is null
    group by f.trader, f.kind, f.category, f.close_at::date
    having sum(f.risk_usd) > 0 and visible is not null
  ),
  caps as (select trader, kind, quantile_cont(risk, 0.95) as cap from clusters group by trader, kind),
  capped as (select trader, kind, visible, payout, least(risk, cap) as w from clusters join caps using (trader, kind)),
  traders as (
    select trader, kind, sum(visible * w) / sum(w) as visible, sum(payout * w) / sum(w) as payout,
      sum(w) ** 2 / sum(w * w) as true_n_eff
    from capped group by trader, kind
  ),
  roles as (
    select true_role, kind, avg(visible) as role_visible, avg(payout) as role_payout
    from traders join true_traders using (trader)
    where true_n_eff >= 10 and not is_skilled and not is_copier
    group by true_role, kind
  )
  select s.*, t.strategy, t.true_role, t.is_skilled, t.is_copier, t.acts_with, r.role_visible, r.role_payout,
    s.visible - greatest(0, r.role_visible) as beyond,
    s.payout - greatest(0, r.role_payout) as paid_beyond
  from traders s
  join true_traders t using (trader)
  join roles r using (true_role, kind)`
