import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DuckDBDataChunk, DuckDBTimestampValue, type DuckDBConnection, type DuckDBInstance } from '@duckdb/node-api'

import type { Dataset } from '#lake/datasets/index.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

import { isBatch, rowCount, type ColumnBatch, type UnitRows } from './column_batch.ts'

/** The number of rows of a chunk, as DuckDB sizes its vectors. */
const chunkRows = 2048

export type Written = { file: string; digest: string; bytes: number }

/**
 * Writes the rows of a source as one zstd Parquet file in `scratch`, in the order of the dataset's key. The key is
 * unique, so the order is total: the bytes depend on the rows alone, not on threads or input order.
 */
export async function writeParquet(
  instance: DuckDBInstance,
  scratch: string,
  dataset: Dataset,
  { rows, source }: { rows: UnitRows; source: string },
): Promise<Written> {
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.parquet`)
  await withConnection(instance, async (connection) => {
    const types = Object.entries(dataset.columns).map(
      ([name, { sql, isNullable }]) => `"${name}" ${sql}${isNullable ? '' : ' not null'}`,
    )
    await connection.run(`create temp table rows (${types.join(', ')})`)
    await append(connection, dataset, { rows, source })
    await assertUnique(connection, dataset)
    await connection.run(
      `copy (select * from rows order by ${keyOf(dataset)}) to ${literal(file)} (format parquet, compression zstd)`,
    )
  })
  const body = await readFile(file)
  return { file, digest: createHash('sha256').update(body).digest('hex'), bytes: body.length }
}

const keyOf = ({ key }: Dataset): string => key.map((name) => `"${name}"`).join(', ')

async function append(
  connection: DuckDBConnection,
  dataset: Dataset,
  { rows, source }: { rows: UnitRows; source: string },
): Promise<void> {
  const columns = Object.entries(dataset.columns)
  const types = columns.map(([, column]) => column.duckdb)
  const appender = await connection.createAppender('rows')
  const n_rows = rowCount(rows)
  const slices = isBatch(rows) ? slicesOf(dataset, rows, source) : undefined
  for (let start = 0; start < n_rows; start += chunkRows) {
    const end = Math.min(start + chunkRows, n_rows)
    const chunk = DuckDBDataChunk.create(types, end - start)
    const objects = isBatch(rows) ? [] : rows.slice(start, end)
    for (const [index, [name, { encode }]] of columns.entries()) {
      // `source` is filled in here: copying every row to add one word doubles the memory.
      const values =
        slices?.(name, start, end) ?? objects.map((row): unknown => (name === 'source' ? source : row[name]))
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

/** Reads slices of the columns of a batch, all of which have its length. */
function slicesOf(
  { name: dataset, columns }: Dataset,
  { columns: given, n_rows }: ColumnBatch,
  source: string,
): (name: string, start: number, end: number) => readonly unknown[] {
  for (const [name, values] of Object.entries(given)) {
    if (columns[name] === undefined) throw new Error(`${dataset}: unknown column ${name} in a batch`)
    if (values.length !== n_rows)
      throw new Error(`${dataset}: column ${name} of a batch has ${values.length} values; expected ${n_rows}`)
  }
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
