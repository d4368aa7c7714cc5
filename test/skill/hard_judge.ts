import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'

import { scoreWorld } from './build.ts'
import { judgedTables, loadPlanted, loadPrices, plantedScores } from './planted.ts'

const count = z.coerce.number()
const shares = z.array(z.object({ name: z.string(), n: count, of: count }))
const biases = z.array(z.object({ name: z.string(), n_fills: count, off: count }))

type Biases = z.infer<typeof biases>

/** How often something was so, of how many, by name. */
export type Shares = z.infer<typeof shares>

/** How well the scores of one hard world find what was planted. */
export type HardVerdict = {
  /** Of the traders called sharp those without skill, by the kind of close. */
  falseSharps: Shares
  /** Of the skilled traders with a planted score of 3 points and an effective sample of 20 those called sharp. */
  power: Shares
  /** Of the raw scores those whose 95 % interval holds the planted one: by archetype, and by side and price. */
  covered: Shares
  /** The mean of edge - planted - moved of the scored fills, in points: by side and price. */
  biases: Biases
  /** The same by kind, side and price. */
  kindBiases: Biases
  /** Of the traders found to wash those of a planted pair, and of the planted ones those that are found. */
  washes: Shares
  guards: { kind: string; state: string; is_held: boolean | null }[]
}

/** Scores a hard world, and compares. A lake that was filled afterwards has no recorded books. */
export async function judgeHard(seed: number, scale: number, { isBackfilled = false } = {}): Promise<HardVerdict> {
  const world = createWorld({ seed, scale, isHard: true })
  const tamper = isBackfilled ? { tamper: forgetBooks } : {}
  const wanted = [...judgedTables, 'metrics.wash_shares']
  return scoreWorld({ world, at: world.now, wanted, ...tamper }, async (connection) => {
    await loadPlanted(connection, world, true)
    await loadPrices(connection, world)
    await connection.run(`create temp table planted_scores as ${plantedScores}`)
    await connection.run(scored)
    await connection.run(priced)
    const read = async (sql: string): Promise<unknown[]> => (await connection.runAndReadAll(sql)).getRowObjectsJson()
    return {
      falseSharps: shares.parse(await read(falseSharps)),
      power: shares.parse(await read(power)),
      covered: shares.parse(await read(covered)),
      biases: biases.parse(await read(bias(`side || ' ' || bucket`))),
      kindBiases: biases.parse(await read(bias(`kind || ' ' || side || ' ' || bucket`))),
      washes: shares.parse(await read(washes)),
      guards: await guardsOf(connection),
    }
  })
}

async function forgetBooks(connection: DuckDBConnection): Promise<void> {
  await connection.run('delete from lake.quotes')
}

/** Every score of all time beside what was planted. */
const scored = `create temp table scored as
  select c.trader, c.kind, c.clv_points::double as clv_points, c.raw_points::double as raw_points,
    c.raw_lower_points::double as raw_lower, c.raw_upper_points::double as raw_upper, c.n_eff, p.planted,
    w.archetype, w.archetype in ('sharp', 'value_hunter') as is_skilled, s.kind is not null as is_shown, t.archetype as found
  from metrics.clv c
  join planted_scores p on p.trader = c.trader and p.kind = c.kind
  join planted_people w on w.trader = c.trader
  join metrics.trader_traits t on t.trader = c.trader
  left join metrics.clv_scores s on s.trader = c.trader and s.kind = c.kind and s.range = 'all'
  where c.range = 'all'`

/**
 * The scored fills with their planted edge, the bucket of their price, and `moved`: the price's move until the close
 * without the news that nobody foresees, in points for the fill's trader. Later orders press the price on, and informed
 * traders see six hours ahead, or seven as prices are hourly. The news after that moves prices by nothing on average.
 */
const priced = `create temp table priced as
  with scored as (
    select f.trader, f.kind, f.market_id, f.outcome, f.side, f.risk_usd::double as risk,
      f.edge_points::double as edge, p.edge as planted, p.expected, f.price::double as price,
      epoch(f.close_at) as close_s, least(epoch(f.close_at), epoch(f.ts) + 7 * 3600) as foreseen_s
    from metrics.clv_fills f
    join planted_fills p using (trader, tx, market_id, outcome, side, size)
    where f.left_out is null
  )
  select s.trader, s.kind, s.side, s.risk, s.edge, s.planted,
    100 * (c.fair - (c.believed - k.believed) - s.expected) * case when (s.outcome = 0) = (s.side = 'buy') then 1 else -1 end
      as moved,
    case when s.price < 0.1 then '<.1' when s.price < 0.2 then '.1-.2' when s.price < 0.4 then '.2-.4'
      when s.price < 0.6 then '.4-.6' when s.price < 0.8 then '.6-.8' when s.price < 0.9 then '.8-.9' else '>.9' end as bucket
  from scored s
  asof join planted_prices c on c.market_id = s.market_id and c.ts_s <= s.close_s
  asof join planted_prices k on k.market_id = s.market_id and k.ts_s <= s.foreseen_s`

const falseSharps = `select kind as name, count(*) filter (not is_skilled or planted <= 0) as n, count(*) as of
  from scored where is_shown and found = 'sharp' group by kind`

const power = `select kind as name, count(*) filter (found = 'sharp') as n, count(*) as of
  from scored where is_shown and is_skilled and planted >= 3 and n_eff >= 20 and found <> 'unproven' group by kind`

/** A trader counts in the bucket of purchases, and of sales, with most of its stake. */
const covered = `with stakes as (
    select trader, kind, side, bucket, sum(risk) as risk from priced group by all
  ),
  places as (
    select trader, kind, side, arg_max(bucket, risk) as bucket from stakes group by trader, kind, side
  ),
  named as (
    select s.*, s.archetype as name from scored s
    union all
    select s.*, p.side || ' ' || p.bucket from scored s join places p on p.trader = s.trader and p.kind = s.kind
  )
  select name, count(*) filter (planted between raw_lower and raw_upper) as n, count(*) as of
  from named where is_shown group by name`

const bias = (name: string): string =>
  `select ${name} as name, count(*) as n_fills, avg(edge - planted - moved) as off from priced group by all`

const washes = `with found as (
    select w.trader, w.is_wash_like, p.partner is not null as is_planted
    from metrics.wash_shares w
    join planted_people p on p.trader = w.trader
    join metrics.trader_traits t on t.trader = w.trader
    where t.n_fills >= 20
  )
  select 'precision' as name, count(*) filter (is_planted) as n, count(*) as of from found where is_wash_like
  union all
  select 'recall', count(*) filter (is_wash_like), count(*) from found where is_planted`

async function guardsOf(connection: DuckDBConnection): Promise<HardVerdict['guards']> {
  const sql = 'select kind, state, is_held from metrics.clv_guards order by all'
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  return z.array(z.object({ kind: z.string(), state: z.string(), is_held: z.boolean().nullable() })).parse(rows)
}
