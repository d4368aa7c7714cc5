import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

import { builtinTables, registryTables } from '#builder/builtin_tables.ts'
import { tablesRead } from '#builder/dag.ts'
import { checkTable, createStoredViews } from '#builder/materialize.ts'
import { layers, storedSchema, type Model, type ModelColumn, type SqlModel } from '#builder/model.ts'
import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import { loadScoring } from '#scoring/index.ts'

/** Rows of the tables that a model reads, as objects that name what matters: the rest is null, or a plain default. */
export type Given = Record<string, readonly Record<string, Value>[]>
type Value = string | number | boolean | null | readonly (string | number)[]

/** The instant that builds of tests are as of. */
export const clock = '2026-11-20 12:00:00'

const models = await loadScoring()
const venueRows = registryTables['core.venues']?.rows ?? []

/** A model of scoring by its name, such as `core.odds`. */
export function modelOf(id: string): SqlModel {
  const model = models.find((one) => one.kind === 'sql' && `${one.layer}.${one.name}` === id)
  if (model?.kind !== 'sql') throw new Error(`there is no model ${id}`)
  return model
}

/**
 * Runs one model over given rows as a build would: its inputs have their documented columns, and its rows are cast,
 * checked and ordered as its header says. Decimals and counts come back as numbers, instants as text without a zone.
 */
export const run = (id: string, given: Given, at = clock): Promise<Record<string, unknown>[]> =>
  runModel(modelOf(id), given, at)

/** The same of a model that may have a bug. */
export async function runModel(planted: SqlModel, given: Given, at = clock): Promise<Record<string, unknown>[]> {
  return withTables(planted, { 'core.clock': [{ as_of: at }], ...given }, async (connection, model) => {
    const table = `${model.layer}.${model.name}`
    const values = model.columns.map(({ name, sql }) => `"${name}"::${sql} as "${name}"`)
    const key = model.columns.filter(({ isKey }) => isKey).map(({ name }) => `"${name}"`)
    await connection.run(`create table ${table} as select ${values.join(', ')} from (${model.sql}\n)`)
    await checkTable(connection, model)
    const reader = await connection.runAndReadAll(`from ${table} order by ${key.join(', ')}`)
    const isNumber = new Set(model.columns.filter(({ sql }) => numeric.test(sql)).map(({ name }) => name))
    return reader
      .getRowObjectsJson()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            isNumber.has(name) && value !== null ? Number(value) : value,
          ]),
        ),
      )
  })
}

const numeric = /^(DECIMAL\(\d+,\d+\)|BIGINT|INTEGER|SMALLINT|DOUBLE)$/

/** The rows of a table, cut down to some columns: a list of values for each. */
export const cut = (rows: readonly Record<string, unknown>[], ...columns: string[]): unknown[][] =>
  rows.map((row) => columns.map((column) => row[column]))

/** The database of all tests of a process. To open one costs more than a test. */
let opened: Promise<DuckDBConnection> | undefined
const open = async (): Promise<DuckDBConnection> =>
  (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()

/** The work that began last. Works take turns, since each makes the schemas anew. */
let last: Promise<unknown> = Promise.resolve()

/** Works on a connection that has the tables that a model reads, with the given rows in them. */
export function withTables<T>(
  model: Model,
  given: Given,
  work: (connection: DuckDBConnection, model: SqlModel) => Promise<T>,
): Promise<T> {
  const turn = last.then(async () => {
    const connection = await (opened ??= open())
    for (const schema of ['lake', storedSchema, ...layers]) {
      await connection.run(`drop schema if exists ${schema} cascade; create schema ${schema}`)
    }
    await createTables(connection, model, await numbered(connection, model, given))
    return work(connection, model as SqlModel)
  })
  last = turn.catch(() => undefined)
  return turn
}

/** The tables that number names: the rows of other tables may have the number beside the name. */
const numbering = {
  'core.ledger_traders': { name: 'trader', number: 'trader_index' },
  'core.ledger_markets': { name: 'market_id', number: 'market_index' },
} as const

const addresses = 'core.trader_addresses'

/**
 * Given rows with the numbers of their traders and markets, as far as a test leaves them out. Rows of a table of numbers
 * count from 0. A test that gives no such table has one of all names in its rows.
 */
async function numbered(connection: DuckDBConnection, model: Model, given: Given): Promise<Given> {
  const reads = await tablesRead(connection, `${model.layer}.${model.name}`, model.sql)
  const all: Record<string, readonly Record<string, Value>[]> = { ...given }
  for (const [table, { name, number }] of Object.entries(numbering)) {
    const isNamed = (id: string): boolean => columnsOf(id).some((column) => column.name === name)
    const names = Object.keys(given)
      .filter(isNamed)
      .flatMap((id) => (given[id] ?? []).map((row) => String(row[name] ?? '')))
    const made = [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1)).map((value) => ({ [name]: value }))
    const numbers = (given[table] ?? made).map((row, index): Record<string, Value> => ({ [number]: index, ...row }))
    if (reads.includes(table)) all[table] = numbers
    // Without given ones, each trader has the one address of its name.
    if (table === 'core.ledger_traders' && reads.includes(addresses))
      all[addresses] = given[addresses] ?? numbers.map((row) => ({ wallet: row[name] ?? '', ...row }))
    const numberOf = new Map(numbers.map((row) => [String(row[name] ?? ''), row[number]]))
    for (const id of Object.keys(given)) {
      if (id === table || !isNamed(id) || columnsOf(id).every((column) => column.name !== number)) continue
      all[id] = (all[id] ?? []).map((row) => {
        const found = numberOf.get(String(row[name] ?? ''))
        return found === undefined ? row : { [number]: found, ...row }
      })
    }
  }
  return all
}

async function createTables(connection: DuckDBConnection, model: Model, given: Given): Promise<void> {
  const tables = await tablesRead(connection, `${model.layer}.${model.name}`, model.sql)
  const astray = Object.keys(given).find((table) => table !== 'core.clock' && !tables.includes(table))
  if (astray !== undefined) throw new Error(`${model.layer}.${model.name} does not read ${astray}`)
  for (const table of tables) {
    const columns = columnsOf(table)
    await connection.run(`create table ${table} (${columns.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
    const rows = (given[table] ?? (table === 'core.venues' ? venueRows : [])).map((row) => rowSql(table, columns, row))
    if (rows.length > 0) await connection.run(`insert into ${table} values ${rows.join(', ')}`)
  }
  await createStoredViews(connection, model.sql)
}

function columnsOf(table: string): ModelColumn[] {
  const given = builtinTables[table]
  if (given !== undefined) return given
  const [layer, name = ''] = table.split('.')
  const dataset = Object.values({ ...datasets, coverage, quarantine }).find((one) => one.name === name)
  if (layer === 'lake' && dataset !== undefined) {
    return Object.entries(dataset.columns).map(([column, { sql, isNullable }]) => ({
      name: column,
      sql,
      isNullable,
      isKey: false,
    }))
  }
  for (const model of models) {
    const outputs = model.kind === 'sql' ? { [model.name]: model.columns } : model.outputs
    const columns = model.layer === layer ? outputs[name] : undefined
    if (columns !== undefined) return columns
  }
  throw new Error(`nothing documents the columns of ${table}`)
}

function rowSql(table: string, columns: readonly ModelColumn[], row: Record<string, Value>): string {
  const astray = Object.keys(row).find((name) => columns.every((column) => column.name !== name))
  if (astray !== undefined) throw new Error(`${table} has no column ${astray}`)
  return `(${columns.map(({ name, sql, isNullable }) => valueSql(row[name], sql, isNullable)).join(', ')})`
}

const valueSql = (value: Value | undefined, sql: string, isNullable: boolean): string => {
  if (value === null || (value === undefined && isNullable)) return 'null'
  const text = value === undefined ? defaultOf(sql) : value
  if (Array.isArray(text)) return `[${text.map((one) => quoted(one)).join(', ')}]::${sql}`
  return `${quoted(text as string | number | boolean)}::${sql}`
}

const quoted = (value: string | number | boolean): string => `'${String(value).replaceAll("'", "''")}'`

const defaultOf = (sql: string): Value => {
  if (sql.endsWith('[]')) return []
  if (sql === 'VARCHAR') return ''
  if (sql === 'BOOLEAN') return true
  if (sql === 'TIMESTAMP' || sql === 'DATE') return '2026-01-01'
  return 0
}
