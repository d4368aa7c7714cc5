import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { DuckDBDataChunk, type DuckDBConnection, type DuckDBInstance } from '@duckdb/node-api'

import type { Column } from '#lake/columns.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

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
  { rows, source }: { rows: readonly Record<string, unknown>[]; source: string },
): Promise<Written> {
  assertUnique(dataset, rows)
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.parquet`)
  const columns = Object.entries(dataset.columns)
  await withConnection(instance, async (connection) => {
    const types = columns.map(([name, { sql, isNullable }]) => `"${name}" ${sql}${isNullable ? '' : ' not null'}`)
    await connection.run(`create temp table rows (${types.join(', ')})`)
    await append(connection, columns, { rows, source })
    const order = dataset.key.map((name) => `"${name}"`).join(', ')
    await connection.run(
      `copy (select * from rows order by ${order}) to ${literal(file)} (format parquet, compression zstd)`,
    )
  })
  const body = await readFile(file)
  return { file, digest: createHash('sha256').update(body).digest('hex'), bytes: body.length }
}

async function append(
  connection: DuckDBConnection,
  columns: readonly [string, Column<unknown>][],
  { rows, source }: { rows: readonly Record<string, unknown>[]; source: string },
): Promise<void> {
  const types = columns.map(([, column]) => column.duckdb)
  const appender = await connection.createAppender('rows')
  for (let start = 0; start < rows.length; start += chunkRows) {
    const slice = rows.slice(start, start + chunkRows)
    const chunk = DuckDBDataChunk.create(types, slice.length)
    for (const [index, [name, { encode }]] of columns.entries()) {
      // `source` is filled in here: copying every row to add one word doubles the memory.
      const valueOf = (row: Record<string, unknown>): unknown => (name === 'source' ? source : row[name])
      chunk.setColumnValues(
        index,
        slice.map((row) => {
          const value = valueOf(row)
          return value === null || value === undefined ? null : encode(value)
        }),
      )
    }
    appender.appendDataChunk(chunk)
  }
  // Only closing the appender makes the last chunk visible.
  appender.closeSync()
}

function assertUnique({ name, key }: Dataset, rows: readonly Record<string, unknown>[]): void {
  const seen = new Set<string>()
  for (const row of rows) {
    const id = key.map((column) => String(row[column])).join('\u0000')
    if (seen.has(id)) {
      throw new Error(`two rows of ${name} have the same key (${key.join(', ')}): ${id.replaceAll('\u0000', ', ')}`)
    }
    seen.add(id)
  }
}
