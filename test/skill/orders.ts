import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'

import { scoreWorld } from './build.ts'
import { judgedTables, loadPlanted, plantedScores } from './planted.ts'

const figures = z.array(z.object({ name: z.string(), value: z.coerce.number() }))

/** Figures of a hard world by name: how well orders of traders find planted values, and how often intervals hold. */
export type Figures = z.infer<typeof figures>

/**
 * Compares orders of the traders with ten clusters in a hard world: the rank correlation with the planted value among
 * takers and among makers, and the skilled among the first twenty. Beside them the share of `clv_points` +- 1.96 `se`
 * that hold the planted value, by role and by tenth of the sample.
 */
export async function ordersOf(seed: number, scale: number): Promise<Figures> {
  const world = createWorld({ seed, scale, isHard: true })
  return scoreWorld({ world, at: world.now, wanted: judgedTables }, async (connection) => {
    await loadPlanted(connection, world, true)
    await connection.run(`create temp table planted_scores as ${plantedScores}`)
    await connection.run(orders)
    const reader = await connection.runAndReadAll(
      `${correlations} union all ${skilled} union all ${covered} order by 1`,
    )
    return figures.parse(reader.getRowObjectsJson())
  })
}

const orders = `create temp table orders as
  with listed as (
    select s.trader, p.planted, w.archetype in ('sharp', 'value_hunter') as is_skilled,
      case t.role when 'taker' then 'takers' else 'makers' end as who,
      s.skill_points::double as clv_score, (s.clv_points - s.mu_points)::double as shrunk,
      (s.raw_points - s.mu_points)::double / sqrt(v.v) as distance, s.raw_points::double as raw,
      r.realized_usd::double as pnl, coalesce(r.roi, 0) as roi, r.win_rate::double as win_rate
    from metrics.clv_scores s
    join metrics.clv v on v.trader = s.trader and v.kind = s.kind and v.range = s.range
    join planted_scores p on p.trader = s.trader and p.kind = s.kind
    join planted_people w on w.trader = s.trader
    join metrics.trader_traits t on t.trader = s.trader
    join metrics.trader_results r on r.trader = s.trader and r.range = 'all'
    where s.range = 'all' and s.n_eff >= 10 - 1e-9
  )
  from (unpivot (select * replace (pnl::double as pnl, win_rate::double as win_rate) from listed) on clv_score, shrunk, distance, raw, pnl, roi, win_rate into name score value figure)`

const correlations = `select 'correlation, ' || who || ', ' || score as name, corr(a, b) as value
  from (
    select who, score, rank() over (partition by who, score order by figure) as a,
      rank() over (partition by who, score order by planted) as b
    from orders
  )
  group by who, score`

const skilled = `select 'skilled of the first 20, ' || score, count(*) filter (is_skilled)::double
  from (select *, row_number() over (partition by score order by figure desc, trader) as place from orders)
  where place <= 20
  group by score`

const covered = `select 'covered, ' || name, avg(is_held::integer)
  from (
    select unnest([kind || ' ' || role, kind || ' sample ' || lpad(tenth::varchar, 2, '0')]) as name, is_held
    from (
      select c.kind, t.role, abs(p.planted - c.clv_points::double) <= 1.96 * c.se as is_held,
        ntile(10) over (partition by c.kind order by c.n_eff, c.trader) as tenth
      from metrics.clv c
      join planted_scores p on p.trader = c.trader and p.kind = c.kind
      join metrics.trader_traits t on t.trader = c.trader
      where c.range = 'all'
    )
  )
  group by name`
