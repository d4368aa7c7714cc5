import {
  DuckDBDataChunk,
  DuckDBTimestampValue,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBValue,
} from '@duckdb/node-api'

import { fileType } from '#lake/columns.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

import {
  assertBatch,
  isBatch,
  isInOrder,
  isSpilled,
  rowCount,
  toRows,
  type HeldRows,
  type SpilledRows,
  type UnitRows,
} from './column_batch.ts'
import { writeFew } from './write_few.ts'
import { writeParquet, type Written } from './write_parquet.ts'

/** The number of rows of a chunk, as DuckDB sizes its vectors. */
const chunkRows = 2048

/** Up to so many rows cost less without DuckDB. Larger files are smaller with its compression. */
const fewRows = 500

/**
 * Writes the rows of a source as one Parquet file, in the order of the dataset's key. The key is unique, so the order
 * is total: the bytes depend on the rows and the metadata alone, not on threads or input order.
 */
export async function writeRows(
  instance: DuckDBInstance,
  scratch: string,
  dataset: Dataset,
  { rows, source, metadata }: { rows: UnitRows; source: string; metadata: string },
): Promise<Written> {
  if (isSpilled(rows)) return writeSpilled(scratch, dataset, { rows, source, metadata })
  if (isBatch(rows)) assertBatch(dataset, rows)
  if (rowCount(rows) <= fewRows) return writeFew(dataset, { rows: toRows(rows), source, metadata })
  const constants = constantsOf(dataset, rows, source)
  return withConnection(instance, async (connection) => {
    await connection.run(`create temp table rows (${columnTypes(without(dataset, constants))})`)
    await appendRows(connection, without(dataset, constants), rows)
    const { key } = without(dataset, constants)
    const select = selectOf(dataset, constants)
    // One thread reads a table in its order.
    if (isBatch(rows) && isInOrder(rows, key)) return writeParquet(connection, scratch, dataset, { select, metadata })
    await assertUnique(connection, dataset, select)
    return writeParquet(connection, scratch, dataset, { select: `${select} order by ${listOf(key)}`, metadata })
  })
}

/**
 * Sorts the table first and then writes it. A sort that just fits into the memory limit leaves no room for the writer
 * of Parquet, which has 122,880 rows of it in memory. One thread reads a table in its order.
 */
async function writeSpilled(
  scratch: string,
  dataset: Dataset,
  { rows, source, metadata }: { rows: SpilledRows; source: string; metadata: string },
): Promise<Written> {
  const { connection } = rows
  const constants = constantsOf(dataset, rows, source)
  const select = selectOf(dataset, constants)
  await assertUnique(connection, dataset, select)
  const order = listOf(without(dataset, constants).key)
  await connection.run(`create temp table sorted as select * from rows order by ${order}`)
  await connection.run('drop table rows')
  await connection.run('alter table sorted rename to rows')
  return writeParquet(connection, scratch, dataset, { select, metadata })
}

/** The select of the table `rows`. `constants` are the columns that it lacks. */
function selectOf(dataset: Dataset, constants: ReadonlyMap<string, string>): string {
  const all = Object.keys(dataset.columns).map((name) => {
    const constant = constants.get(name)
    return constant === undefined ? `"${name}"` : `${constant} as "${name}"`
  })
  return `select ${all.join(', ')} from rows`
}

/** A dataset without some columns. */
const without = (dataset: Dataset, names: { has: (name: string) => boolean }): Dataset => ({
  ...dataset,
  columns: Object.fromEntries(Object.entries(dataset.columns).filter(([name]) => !names.has(name))),
  key: dataset.key.filter((name) => !names.has(name)),
})

/** Creates the table of rows that a source gives in parts, and appends each part. */
export async function createSpill(connection: DuckDBConnection, dataset: Dataset): Promise<void> {
  await connection.run(`create temp table rows (${columnTypes(without(dataset, ownColumns))})`)
}

export const appendSpill = (connection: DuckDBConnection, dataset: Dataset, rows: HeldRows): Promise<void> =>
  appendRows(connection, without(dataset, ownColumns), rows)

/** The column that no row of a source has. */
const ownColumns = new Set(['source'])

/**
 * The values that all rows share, as SQL by column, such as the source and the chain of a unit. A statement names them
 * once; each text, and each null, of a column costs a call.
 */
function constantsOf({ columns, key }: Dataset, rows: UnitRows, source: string): ReadonlyMap<string, string> {
  const constants = new Map([['source', literal(source)]])
  if (!isBatch(rows)) return constants
  for (const [name, { sql, isNullable }] of Object.entries(columns)) {
    // Rows that share all of their key are two rows of one key, which only a table shows.
    if (name === 'source' || name === key.at(-1)) continue
    const values = rows.columns[name] ?? []
    const first = values[0] ?? null
    const isText = sql === 'VARCHAR' && typeof first === 'string'
    if (!isText && (first !== null || !isNullable)) continue
    if (values.every((value) => value === first))
      constants.set(name, isText ? literal(first) : `null::${fileType(sql)}`)
  }
  return constants
}

/** The columns of a dataset, as CREATE TABLE takes them; with the types of data files. */
export const columnTypes = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([column, { sql, isNullable }]) => `"${column}" ${fileType(sql)}${isNullable ? '' : ' not null'}`)
    .join(', ')

const listOf = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** Appends rows to the table `rows`, which has the columns of the dataset. */
async function appendRows(connection: DuckDBConnection, dataset: Dataset, rows: HeldRows): Promise<void> {
  const columns = Object.entries(dataset.columns)
  const chunk = DuckDBDataChunk.create(columns.map(([, column]) => column.duckdb))
  const appender = await connection.createAppender('rows')
  const n_rows = rowCount(rows)
  for (let start = 0; start < n_rows; start += chunkRows) {
    const end = Math.min(start + chunkRows, n_rows)
    chunk.rowCount = end - start
    for (const [index, [name, { encode }]] of columns.entries())
      chunk.setColumnValues(index, encoded(valuesOf(rows, name, { start, end }), encode))
    appender.appendDataChunk(chunk)
    // A chunk is outside JavaScript's heap, and is freed only when its small object is: chunks of their own pile up.
    chunk.reset()
  }
  // Only closing the appender makes the last chunk visible.
  appender.closeSync()
}

/** Values of a column. One that a batch does not give is null in all rows. */
function valuesOf(rows: HeldRows, name: string, { start, end }: { start: number; end: number }): readonly unknown[] {
  if (!isBatch(rows)) return rows.slice(start, end).map((row) => row[name])
  return rows.columns[name]?.slice(start, end) ?? Array.from({ length: end - start }, () => null)
}

/** A function of its own, since a loop within the loops of chunks and columns is compiled again for each of them. */
const encoded = (values: readonly unknown[], encode: (value: unknown) => DuckDBValue): DuckDBValue[] =>
  values.map((value) => (value === null || value === undefined ? null : encode(value)))

/** Throws if two rows of a select have the same key. */
async function assertUnique(connection: DuckDBConnection, { name, key }: Dataset, select: string): Promise<void> {
  const columns = listOf(key)
  // Counting hashes is many times cheaper than grouping by a key of long texts, which runs only after a mismatch.
  const counts = await connection.runAndReadAll(`select count(*), count(distinct hash(${columns})) from (${select})`)
  const [n_rows, n_keys] = counts.getRows()[0] ?? []
  if (n_rows === n_keys) return
  const reader = await connection.runAndReadAll(
    `select ${columns} from (${select}) group by ${columns} having count(*) > 1 order by ${columns} limit 1`,
  )
  const [double] = reader.getRows()
  if (double === undefined) return
  const values = double.map((value) => (value instanceof DuckDBTimestampValue ? value.micros : value)).join(', ')
  throw new Error(`two rows of ${name} have the same key (${key.join(', ')}): ${values}`)
}
