import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

import { builtinTables, createRegistryTables, registryTables } from '#builder/builtin_tables.ts'
import { orderModels } from '#builder/dag.ts'
import { parseModel } from '#builder/load.ts'
import { checkTable } from '#builder/materialize.ts'
import { layers, type FoldModel, type Model, type ModelColumn } from '#builder/model.ts'
import { runFold } from '#builder/run_fold.ts'
import { coverage, datasets } from '#lake/datasets/index.ts'
import { loadScoring } from '#scoring/index.ts'
import { withConnection } from '#storage/duckdb.ts'

/** The models of scoring: the real ones, or those with a copy of `core/lots` that has a bug. */
export async function loadWalletModels(copy?: { folder: string; fold: FoldModel }): Promise<Model[]> {
  const models = await loadScoring()
  if (copy === undefined) return models
  const names = (await readdir(copy.folder))
    .filter((path) => path.endsWith('.sql'))
    .map((path) => basename(path, '.sql'))
  const parsed = names
    .filter((name) => name !== copy.fold.name)
    .map(async (name) => parseModel('core', name, await readFile(join(copy.folder, `${name}.sql`), 'utf8')))
  const others = models.filter(({ layer, name }) => layer !== 'core' || !names.includes(name))
  return [...others, copy.fold, ...(await Promise.all(parsed))]
}

/** The tables that tests of wallets give, in place of their models. */
const walletGiven = [
  'core.clock',
  'core.chains',
  'core.tokens',
  'core.prices',
  'core.owners',
  'core.trades',
  'core.transfers',
  'staging.transactions',
  'staging.addresses',
  'staging.swaps',
  'staging.pools',
  'staging.balances',
  'staging.account_transactions',
]

const scoring = await loadScoring()

/** The documented columns of a table of the lake, of a build or of a model. */
function columnsOf(table: string): ModelColumn[] {
  const dataset = Object.values({ ...datasets, coverage }).find(({ name }) => `lake.${name}` === table)
  if (dataset !== undefined) {
    return Object.entries(dataset.columns).map(([name, { sql, isNullable }]) => ({
      name,
      sql,
      isNullable,
      isKey: false,
    }))
  }
  const model = scoring.find((one) => one.kind === 'sql' && `${one.layer}.${one.name}` === table)
  const columns = model?.kind === 'sql' ? model.columns : builtinTables[table]
  if (columns === undefined) throw new Error(`table ${table}: no columns; expected a dataset or a model`)
  return columns
}

export type Rows = Record<string, readonly Record<string, Value>[]>
type Value = string | number | bigint | boolean | null | readonly string[]

/** Makes the given tables anew, with these rows; a column that a row does not name is null, or a plain default. */
export const createGiven = (instance: DuckDBInstance, rows: Rows, given = walletGiven): Promise<void> =>
  withConnection(instance, async (connection) => {
    for (const schema of ['lake', ...layers]) {
      await connection.run(`drop schema if exists ${schema} cascade; create schema ${schema}`)
    }
    for (const table of given) {
      const columns = columnsOf(table)
      await connection.run(`create table ${table} (${columns.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
      await insert(connection, table, columns, rows[table] ?? [])
    }
    const unknown = Object.keys(rows).find((table) => !given.includes(table))
    if (unknown !== undefined) throw new Error(`table ${unknown}: not given; expected a table of the list`)
  })

async function insert(
  connection: DuckDBConnection,
  table: string,
  columns: readonly ModelColumn[],
  rows: Rows[string],
): Promise<void> {
  for (let start = 0; start < rows.length; start += 1_000) {
    const values = rows
      .slice(start, start + 1_000)
      .map((row) => `(${columns.map((column) => literalOf(row[column.name], column)).join(', ')})`)
    await connection.run(`insert into ${table} values ${values.join(', ')}`)
  }
}

function literalOf(value: Value | undefined, { sql, isNullable }: ModelColumn): string {
  if (value === null || (value === undefined && isNullable)) return 'null'
  if (Array.isArray(value)) return `[${value.map((one) => `'${one}'`).join(', ')}]::${sql}`
  return `'${value === undefined ? defaultOf(sql) : String(value)}'::${sql}`
}

const defaultOf = (sql: string): string => {
  if (sql.endsWith('[]')) return '[]'
  if (sql === 'VARCHAR') return ''
  if (sql === 'BOOLEAN') return 'false'
  return sql === 'TIMESTAMP' ? '2026-01-01' : '0'
}

/** Builds the wanted tables and their inputs as a build does. Each has a unique key and its documented columns. */
export const buildTables = (
  instance: DuckDBInstance,
  models: readonly Model[],
  wanted: readonly string[],
  given = walletGiven,
): Promise<void> =>
  withConnection(instance, async (connection) => {
    const built = Object.keys(registryTables).filter((table) => !given.includes(table))
    for (const table of built) await connection.run(`drop table if exists ${table}`)
    await createRegistryTables(connection, built)
    const targets = models.filter(({ layer, name }) => wanted.includes(`${layer}.${name}`))
    for (const { model } of await orderModels(connection, models, new Set([...given, ...built]), targets)) {
      const { layer, name } = model
      const outputs = model.kind === 'fold' ? Object.keys(model.outputs) : [name]
      for (const table of outputs) await connection.run(`drop table if exists ${layer}.${table}`)
      if (model.kind === 'fold') {
        await runFold(instance, model)
        continue
      }
      const columns = model.columns.map((column) => `"${column.name}"::${column.sql} as "${column.name}"`)
      await connection.run(`create table ${layer}.${name} as select ${columns.join(', ')} from (${model.sql}\n)`)
      await checkTable(connection, model)
    }
  })
