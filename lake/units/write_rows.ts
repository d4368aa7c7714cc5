import { DuckDBDataChunk, DuckDBTimestampValue, type DuckDBConnection, type DuckDBInstance } from '@duckdb/node-api'

import { fileType } from '#lake/columns.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import { withConnection } from '#storage/duckdb.ts'

import { assertBatch, isBatch, rowCount, toRows, type ColumnBatch, type UnitRows } from './column_batch.ts'
import { writeFew } from './write_few.ts'
import { writeParquet, type Written } from './write_parquet.ts'

/** The number of rows of a chunk, as DuckDB sizes its vectors. */
const chunkRows = 2048

/** Up to so many rows cost less without DuckDB. Larger files are smaller with its compression. */
const fewRows = 500

/**
 * Writes the rows of a source as one Parquet file, in the order of the dataset's key. The key is unique, so the order is
 * total: the bytes depend on the rows and the metadata alone, not on threads or input order.
 */
export async function writeRows(
  instance: DuckDBInstance,
  scratch: string,
  dataset: Dataset,
  { rows, source, metadata }: { rows: UnitRows; source: string; metadata: string },
): Promise<Written> {
  if (isBatch(rows)) assertBatch(dataset, rows)
  if (rowCount(rows) <= fewRows) return writeFew(dataset, { rows: toRows(rows), source, metadata })
  return withConnection(instance, async (connection) => {
    await connection.run(`create temp table rows (${columnTypes(dataset)})`)
    await appendRows(connection, { table: 'rows' }, dataset, { rows, source })
    await assertUnique(connection, dataset)
    return writeParquet(connection, scratch, dataset, {
      select: `select * from rows order by ${keyOf(dataset)}`,
      metadata,
    })
  })
}

/** The columns of a dataset, as CREATE TABLE takes them; with the types of data files. */
export const columnTypes = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([column, { sql, isNullable }]) => `"${column}" ${fileType(sql)}${isNullable ? '' : ' not null'}`)
    .join(', ')

const keyOf = ({ key }: Dataset): string => key.map((name) => `"${name}"`).join(', ')

/** Appends rows to a table with the columns of a dataset. */
export async function appendRows(
  connection: DuckDBConnection,
  { table, schema, database }: { table: string; schema?: string; database?: string },
  dataset: Dataset,
  { rows, source }: { rows: UnitRows; source?: string },
): Promise<void> {
  const columns = Object.entries(dataset.columns)
  const types = columns.map(([, column]) => column.duckdb)
  const appender = await connection.createAppender(table, schema, database)
  const n_rows = rowCount(rows)
  const slices = isBatch(rows) ? slicesOf(rows, source ?? '') : undefined
  for (let start = 0; start < n_rows; start += chunkRows) {
    const end = Math.min(start + chunkRows, n_rows)
    const chunk = DuckDBDataChunk.create(types, end - start)
    const objects = isBatch(rows) ? [] : rows.slice(start, end)
    for (const [index, [name, { encode }]] of columns.entries()) {
      // `source` is filled in here: copying every row to add one word doubles the memory.
      const values =
        slices?.(name, start, end) ??
        objects.map((row): unknown => (name === 'source' && source !== undefined ? source : row[name]))
      chunk.setColumnValues(
        index,
        values.map((value) => (value === null || value === undefined ? null : encode(value))),
      )
    }
    appender.appendDataChunk(chunk)
  }
  // Only closing the appender makes the last chunk visible.
  appender.closeSync()
}

/** Reads slices of the columns of a batch. */
function slicesOf(
  { columns: given }: ColumnBatch,
  source: string,
): (name: string, start: number, end: number) => readonly unknown[] {
  return (name, start, end) =>
    given[name]?.slice(start, end) ?? Array<unknown>(end - start).fill(name === 'source' ? source : null)
}

async function assertUnique(connection: DuckDBConnection, dataset: Dataset): Promise<void> {
  const columns = keyOf(dataset)
  // Counting hashes is many times cheaper than grouping by a key of long texts, which runs only after a mismatch.
  const counts = await connection.runAndReadAll(`select count(*), count(distinct hash(${columns})) from rows`)
  const [n_rows, n_keys] = counts.getRows()[0] ?? []
  if (n_rows === n_keys) return
  const reader = await connection.runAndReadAll(
    `select ${columns} from rows group by ${columns} having count(*) > 1 order by ${columns} limit 1`,
  )
  const [double] = reader.getRows()
  if (double === undefined) return
  const values = double.map((value) => (value instanceof DuckDBTimestampValue ? value.micros : value)).join(', ')
  throw new Error(`two rows of ${dataset.name} have the same key (${dataset.key.join(', ')}): ${values}`)
}
