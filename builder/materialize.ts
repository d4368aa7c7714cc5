import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import type { Lake } from '#lake/lake.ts'
import { literal, parquet } from '#storage/duckdb.ts'

import { keyOf, storedSchema, type ModelColumn, type SqlModel } from './model.ts'

/**
 * Marts become tables of the snapshot. Other tables become derived Parquet, in the order of the key unless the
 * model is not ordered; the number of their rows is returned.
 */
export async function materialize(
  {
    lake,
    connection,
    scratch,
    derived,
  }: { lake: Lake; connection: DuckDBConnection; scratch: string; derived: string },
  model: SqlModel,
): Promise<number | undefined> {
  if (model.layer === 'marts') {
    await makeMart(connection, model)
    return undefined
  }
  await assertColumns(connection, model)
  const file = join(scratch, `${randomUUID()}.parquet`)
  const written = await connection.run(
    `copy (${model.isOrdered ? inOrder(model) : castSelect(model)}) to ${literal(file)} (${parquet})`,
  )
  const path = derivedPath(derived, model)
  await lake.local.put(path, { file })
  await showDerived(connection, model, lake.local.locate(path))
  return written.rowsChanged
}

/** Creates the view of a derived table over its file; of a table of the core with token amounts also the stored one. */
export async function showDerived(connection: DuckDBConnection, model: SqlModel, file: string): Promise<void> {
  const { layer, name, columns } = model
  await connection.run(`create view ${layer}.${name} as ${derivedSelect(model, file)}`)
  if (layer === 'core' && columns.some(({ sql }) => sql === 'BIGNUM'))
    await createStored(connection, name, `from read_parquet(${literal(file)})`)
}

/**
 * The same rows for this build only, without stored files. Marts become tables of the snapshot. A table that is read
 * once becomes a view, so that a time filter above it prunes files; a table that is read more often is built once.
 * Stored builds check the headers.
 */
export async function makeTemporary(connection: DuckDBConnection, model: SqlModel, n_readers: number): Promise<void> {
  if (model.layer === 'marts') return makeMart(connection, model)
  const kind = n_readers > 1 ? 'table' : 'view'
  await connection.run(`create ${kind} ${model.layer}.${model.name} as ${castSelect(model)}`)
}

async function makeMart(connection: DuckDBConnection, model: SqlModel): Promise<void> {
  const table = `${model.layer}.${model.name}`
  await assertColumns(connection, model)
  await connection.run(`create table snapshot.${table} as ${inOrder(model)}`)
  await connection.run(`create view ${table} as from snapshot.${table}`)
}

/** The select of a model, its columns in the documented types. */
export const castSelect = ({ columns, sql }: SqlModel): string =>
  `select ${columns.map(castColumn).join(', ')} from (${sql}\n)`

const inOrder = (model: SqlModel): string => `${castSelect(model)} order by ${keyOf(model.columns)}`

/** Holds a folder for each build. */
export const derivedFolder = 'derived'

/** The path of a derived table of a build. The layer is part of it: `staging.fills` and `core.fills` are two tables. */
export const derivedPath = (derived: string, { layer, name }: SqlModel): string => `${derived}/${layer}/${name}.parquet`

/**
 * Reads a derived table. Token amounts, which Parquet holds as text, become numbers again. Columns have the name of
 * their table, since DuckDB binds the views that a macro reads with the macro's parameters, and refuses equal names.
 */
export const derivedSelect = ({ columns }: SqlModel, file: string): string =>
  `select ${columns.map(({ name, sql }) => (sql === 'BIGNUM' ? `r."${name}"::BIGNUM as "${name}"` : `r."${name}"`)).join(', ')}` +
  ` from read_parquet(${literal(file)}) r`

/** Creates the stored tables that a select reads and that have no file, from the tables themselves. */
export async function createStoredViews(connection: DuckDBConnection, sql: string): Promise<void> {
  const read = [...sql.matchAll(/\bstored\.(\w+)/g)].map(([, name = '']) => name)
  for (const name of new Set(read)) {
    const reader = await connection.runAndReadAll(
      `select column_name from (describe core.${name}) where column_type = 'BIGNUM'`,
    )
    const texts = reader.getRows().map(([column]) => castColumn({ name: String(column), sql: 'VARCHAR' }))
    await createStored(connection, name, `select * replace (${texts.join(', ')}) from core.${name}`)
  }
}

const createStored = (connection: DuckDBConnection, name: string, select: string): Promise<unknown> =>
  connection.run(
    `create schema if not exists ${storedSchema}; create view if not exists ${storedSchema}.${name} as ${select}`,
  )

const castColumn = ({ name, sql }: Pick<ModelColumn, 'name' | 'sql'>): string => `"${name}"::${sql} as "${name}"`

/** Checks that the select has the documented columns: the same names in the same order. */
async function assertColumns(connection: DuckDBConnection, { columns, sql }: SqlModel): Promise<void> {
  const reader = await connection.runAndReadAll(`describe ${sql}`)
  const made = reader.getRows().map(([name]) => String(name))
  const documented = columns.map(({ name }) => name)
  if (made.join() !== documented.join()) {
    throw new Error(`the header documents (${documented.join(', ')}) and the select gives (${made.join(', ')})`)
  }
}

/** Checks that the key is unique and that required columns are not null. Returns the number of rows. */
export async function checkTable(connection: DuckDBConnection, { layer, name, columns }: SqlModel): Promise<number> {
  const table = `${layer}.${name}`
  const required = columns.filter(({ isNullable }) => !isNullable)
  // The statistics of a stored table answer a count of its values, if nothing else is asked. A filter on nulls, or
  // another aggregate, would read every column.
  const counts = required.map((column) => `count("${column.name}")`)
  const [n_rows = 0, ...values] = await numbersOf(connection, `select count(*), ${counts.join(', ')} from ${table}`)
  const empty = required.find((_, index) => values[index] !== n_rows)
  if (empty !== undefined)
    throw new Error(`column ${empty.name} is null in a row, and its header says that it never is`)
  // Counting hashes is many times cheaper than grouping by a key of long texts, which runs only after a mismatch.
  const key = keyOf(columns)
  const [n_keys] = await numbersOf(connection, `select count(distinct hash(${key})) from ${table}`)
  if (n_keys === n_rows) return n_rows
  const twins = await connection.runAndReadAll(`select ${key} from ${table} group by all having count(*) > 1 limit 1`)
  const [twin] = twins.getRowsJson()
  if (twin !== undefined) throw new Error(`two rows have the key (${key}) = (${twin.map(String).join(', ')})`)
  return n_rows
}

/** The first row of a select, as numbers. */
async function numbersOf(connection: DuckDBConnection, sql: string): Promise<number[]> {
  const reader = await connection.runAndReadAll(sql)
  return (reader.getRows()[0] ?? []).map(Number)
}
