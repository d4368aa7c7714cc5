import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { builtinTables, createRegistryTables } from '#builder/builtin_tables.ts'
import { orderModels, tablesOf } from '#builder/dag.ts'
import { checkTable } from '#builder/materialize.ts'
import { layers, type Model, type SqlModel } from '#builder/model.ts'
import { runFold } from '#builder/run_fold.ts'
import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import { loadScoring } from '#scoring/index.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'

import { createLake, type LakeRows } from './lake.ts'
import { as_of } from './worlds.ts'

/** The compared columns of each table, with instants as microseconds. */
const selects = {
  fills: `select kind, trader, event_id, category, epoch_us(ts) as ts, seq, market_id, outcome, tx, side, price, size,
    epoch_us(close_at) as close_at, close_price, edge_points, risk_usd, is_resolved, left_out from metrics.clv_fills`,
  clusters: `select trader, range, kind, category, day::varchar as day, edge_points, risk_usd, maker_usd, price_variance,
    n_fills, n_resolved from metrics.clv_clusters`,
  populations: 'select * exclude (s2_price) from metrics.clv_populations',
  scores: `select kind, range, trader, clv_points, raw_points, mu_points, mu_se, v, tau2, se, skill_points, skill_se, p_above,
    p_below, n_clusters, n_eff, n_resolved, scored_share from metrics.clv`,
  rates: `select r.range, t.trader, r.q as above, r.q_below as below, r.q_wide as wide from metrics.clv_rates r
    join core.ledger_traders t on t.trader_index = r.trader_index`,
  guards: `select kind, n_markets, gap, se, slope, slope_se, extreme_share, state, is_held, epoch_us(broken_at) as broken_at
    from metrics.clv_guards`,
}

export type Row = Record<string, string | number | boolean | null>
/** Rows in the order of their keys; decimals as text, doubles as numbers. */
export type Tables = Record<keyof typeof selects, Row[]>

/** The models of closing line value and all that they rest on, in the order in which they run. */
export async function clvModels(): Promise<Model[]> {
  const all = await loadScoring()
  const lake = [...Object.values(datasets), coverage, quarantine].map(({ name }) => `lake.${name}`)
  const wanted = all.filter((model) =>
    tablesOf(model).some((table) =>
      [
        'metrics.clv_fills',
        'metrics.clv',
        'metrics.clv_populations',
        'metrics.clv_guards',
        'metrics.clv_scores',
      ].includes(table),
    ),
  )
  return withDuckDB(1, async (connection) => {
    const ordered = await orderModels(connection, all, new Set([...Object.keys(builtinTables), ...lake]), wanted)
    return ordered.map(({ model }) => model)
  })
}

/** Runs models over the rows of a lake, as a build does. */
export const runClv = (models: readonly Model[], rows: LakeRows, threads = 1): Promise<Tables> =>
  withClv(rows, threads, (run) => run(models))

/**
 * Works with the rows of a lake and a function that runs models over them. Of the models that ran before it makes anew
 * what comes after the first one that changed.
 */
export const withClv = <T>(
  rows: LakeRows,
  threads: number,
  work: (run: (models: readonly Model[]) => Promise<Tables>) => Promise<T>,
): Promise<T> =>
  withDuckDB(threads, async (connection, instance) => {
    await createLake(connection, rows, as_of)
    for (const schema of layers) await connection.run(`create schema ${schema}`)
    await connection.run(`create table core.clock as select make_timestamp(${as_of}) as as_of`)
    await createRegistryTables(connection)
    let made: readonly Model[] = []
    return work(async (models) => {
      const first = models.findIndex((model, i) => model !== made[i])
      const rest = first < 0 ? [] : models.slice(first)
      made = models
      for (const table of rest.flatMap(tablesOf)) await connection.run(`drop table if exists ${table}`)
      for (const model of rest) await (model.kind === 'fold' ? runFold(instance, model) : create(connection, model))
      return readTables(connection)
    })
  })

/** Reads what is compared from a database in which the models ran. */
async function readTables(connection: DuckDBConnection): Promise<Tables> {
  const read = async (table: keyof typeof selects): Promise<Row[]> => {
    const reader = await connection.runAndReadAll(`${selects[table]} order by all`)
    return reader.getRowObjectsJson() as Row[]
  }
  return {
    fills: await read('fills'),
    clusters: await read('clusters'),
    populations: await read('populations'),
    scores: await read('scores'),
    rates: await read('rates'),
    guards: await read('guards'),
  }
}

async function withDuckDB<T>(
  threads: number,
  work: (connection: DuckDBConnection, instance: Awaited<ReturnType<typeof openDuckDB>>) => Promise<T>,
): Promise<T> {
  const scratch = join(tmpdir(), `tapeline-clv-${process.pid}`)
  const instance = await openDuckDB({ threads, memory: '1GB', scratch })
  try {
    return await withConnection(instance, (connection) => work(connection, instance))
  } finally {
    instance.closeSync()
  }
}

async function create(connection: DuckDBConnection, model: SqlModel): Promise<void> {
  const columns = model.columns.map(({ name, sql }) => `"${name}"::${sql} as "${name}"`)
  await connection.run(
    `create table ${model.layer}.${model.name} as select ${columns.join(', ')} from (${model.sql}\n)`,
  )
  await checkTable(connection, model)
}
