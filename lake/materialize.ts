import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { literal } from './duckdb.ts'
import type { Lake } from './lake.ts'
import type { ModelColumn, SqlModel } from './model.ts'

/** Marts become tables of the snapshot; everything before them derived Parquet, in the order of the key. */
export async function materialize(
  { lake, connection, scratch }: { lake: Lake; connection: DuckDBConnection; scratch: string },
  model: SqlModel,
): Promise<void> {
  const { layer, name, columns } = model
  const table = `${layer}.${name}`
  await assertColumns(connection, model)
  const select = `select ${columns.map(castColumn).join(', ')} from (${model.sql}\n) order by ${keyOf(columns)}`
  if (layer === 'marts') {
    await connection.run(`create table snapshot.${table} as ${select}`)
    await connection.run(`create view ${table} as from snapshot.${table}`)
    return
  }
  const file = join(scratch, `${randomUUID()}.parquet`)
  await connection.run(`copy (${select}) to ${literal(file)} (format parquet, compression zstd)`)
  const path = derivedPath(model)
  await lake.storage.put(path, { file })
  await connection.run(`create view ${table} as ${derivedSelect(model, lake.storage.locate(path))}`)
}

/** Where a derived table lies. The layer is part of the path: `staging.fills` and `core.fills` are two tables. */
export const derivedPath = ({ layer, name }: SqlModel): string => `derived/${layer}/${name}.parquet`

/** Reads a derived table; whole token amounts, which Parquet holds as text, become numbers again. */
export const derivedSelect = ({ columns }: SqlModel, file: string): string =>
  `select ${columns.map(({ name, sql }) => (sql === 'BIGNUM' ? `"${name}"::BIGNUM as "${name}"` : `"${name}"`)).join(', ')}` +
  ` from read_parquet(${literal(file)})`

const castColumn = ({ name, sql }: ModelColumn): string => `"${name}"::${sql} as "${name}"`

const keyOf = (columns: readonly ModelColumn[]): string =>
  columns
    .filter(({ isKey }) => isKey)
    .map(({ name }) => `"${name}"`)
    .join(', ')

/** The select gives the columns that the header documents: the same names in the same order. */
async function assertColumns(connection: DuckDBConnection, { columns, sql }: SqlModel): Promise<void> {
  const reader = await connection.runAndReadAll(`describe ${sql}`)
  const made = reader.getRows().map(([name]) => String(name))
  const documented = columns.map(({ name }) => name)
  if (made.join() !== documented.join()) {
    throw new Error(`the header documents (${documented.join(', ')}) and the select gives (${made.join(', ')})`)
  }
}

/** The key is unique and complete, and what must not be null is not. Returns the number of rows. */
export async function checkTable(connection: DuckDBConnection, { layer, name, columns }: SqlModel): Promise<number> {
  const table = `${layer}.${name}`
  const required = columns.filter(({ isNullable }) => !isNullable)
  const counts = required.map((column) => `count(*) filter ("${column.name}" is null)`)
  const key = keyOf(columns)
  const reader = await connection.runAndReadAll(
    `select count(*), count(distinct hash(${key})), ${counts.join(', ')} from ${table}`,
  )
  const [n_rows = 0, n_keys, ...nulls] = (reader.getRows()[0] ?? []).map(Number)
  const empty = required.find((_, index) => nulls[index] !== 0)
  if (empty !== undefined)
    throw new Error(`column ${empty.name} is null in a row, and its header says that it never is`)
  // Counting hashes is many times cheaper than grouping by a key of long texts, which is done only on suspicion.
  if (n_keys === n_rows) return n_rows
  const twins = await connection.runAndReadAll(`select ${key} from ${table} group by all having count(*) > 1 limit 1`)
  const [twin] = twins.getRowsJson()
  if (twin !== undefined) throw new Error(`two rows have the key (${key}) = (${twin.map(String).join(', ')})`)
  return n_rows
}
