import type { DuckDBConnection } from '@duckdb/node-api'

import { archetypes, type Archetype } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'

import { scoreWorld } from './build.ts'
import { judgedTables, loadPlanted, plantedScores } from './planted.ts'

/** How often something was so, of how many. */
export type Share = { n: number; of: number }

/** How well the scores of one world find the planted skill. */
export type Verdict = {
  /** Of the scores of all time, those whose 95 % interval holds the planted edge; by kind, and of the one shown. */
  covered: { event_start: Share; markout_24h: Share; shown: Share }
  /** Of the traders without an edge of their own, those whose interval lies above zero. */
  flattered: Share
  /** Of the k first of each list, k the number of planted sharps, those that are. */
  precision: { clv: Share; rawClv: Share; pnl: Share; winRate: Share }
  /**
   * Of the traders of an archetype, those with 50 fills or more (of `unproven` all) that have the planted archetype.
   */
  recall: Record<Archetype, Share>
  guards: { kind: string; n_markets: number; is_held: boolean | null }[]
}

/** Scores a world of scale 1, and compares. */
export async function judge(seed: number): Promise<Verdict> {
  const world = createWorld({ seed })
  return scoreWorld({ world, at: world.now, wanted: judgedTables, threads: 1 }, async (connection) => {
    await loadPlanted(connection, world)
    await connection.run(`create temp table planted_scores as ${plantedScores}`)
    await connection.run(scored)
    const covered = (where: string) => share(connection, 'scored', 'abs(clv_points - planted) <= 1.96 * se', where)
    const recall = (archetype: Archetype) => share(connection, 'named', 'found = planted', `planted = '${archetype}'`)
    await connection.run(`create temp table named as
      select p.archetype as planted, t.archetype as found
      from metrics.trader_traits t join planted_people p using (trader)
      where t.n_fills >= 50 or p.archetype = 'unproven'`)
    return {
      covered: {
        event_start: await covered(`kind = 'event_start'`),
        markout_24h: await covered(`kind = 'markout_24h'`),
        shown: await covered('is_shown'),
      },
      flattered: await share(
        connection,
        'scored',
        'clv_points - 1.96 * se > 0',
        `is_shown and edge = 0 and archetype = 'generalist'`,
      ),
      precision: await precisionOf(connection),
      recall: Object.fromEntries(
        await Promise.all(archetypes.map(async (one) => [one, await recall(one)] as const)),
      ) as Record<Archetype, Share>,
      guards: await guardsOf(connection),
    }
  })
}

/** Every score of all time beside what was planted; `is_shown`: it is the one that the trader is known by. */
const scored = `create temp table scored as
  select c.trader, c.kind, c.clv_points::double as clv_points, c.raw_points::double as raw_points,
    c.skill_points::double as skill_points, c.se, c.n_eff, p.planted,
    w.archetype, w.edge, s.kind is not null as is_shown
  from metrics.clv c
  join planted_scores p on p.trader = c.trader and p.kind = c.kind
  join planted_people w on w.trader = c.trader
  left join metrics.clv_scores s on s.trader = c.trader and s.kind = c.kind and s.range = 'all'
  where c.range = 'all'`

/** The lists: who is not unproven, in order of a figure; that of the score takes its ten events' worth. */
async function precisionOf(connection: DuckDBConnection): Promise<Verdict['precision']> {
  const of = async (figure: string, where = 'true'): Promise<Share> => {
    const [row] = await rowsOf(
      connection,
      `with k as (select count(*) as k from planted_people where archetype = 'sharp'),
      list as (
        select w.archetype from metrics.trader_traits t
        join planted_people w using (trader)
        join metrics.trader_results r on r.trader = t.trader and r.range = 'all'
        left join scored s on s.trader = t.trader and s.is_shown
        where t.archetype <> 'unproven' and ${where}
        order by ${figure} desc nulls last, t.trader
        limit (select k from k)
      )
      select (select count(*) from list where archetype = 'sharp')::double, (select k from k)::double`,
    )
    return { n: Number(row?.[0]), of: Number(row?.[1]) }
  }
  return {
    clv: await of('s.skill_points', 's.n_eff >= 10'),
    rawClv: await of('s.raw_points'),
    pnl: await of('r.realized_usd'),
    winRate: await of('r.win_rate'),
  }
}

async function guardsOf(connection: DuckDBConnection): Promise<Verdict['guards']> {
  const rows = await rowsOf(connection, 'select kind, n_markets, is_held from metrics.clv_guards order by all')
  return rows.map(([kind, n_markets, is_held]) => ({
    kind: String(kind),
    n_markets: Number(n_markets),
    is_held: is_held === null ? null : Boolean(is_held),
  }))
}

async function share(connection: DuckDBConnection, table: string, what: string, where: string): Promise<Share> {
  const [row] = await rowsOf(connection, `select count(*) filter (${what}), count(*) from ${table} where ${where}`)
  return { n: Number(row?.[0]), of: Number(row?.[1]) }
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRows()
}
