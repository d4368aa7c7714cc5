import { DuckDBDataChunk, type DuckDBConnection } from '@duckdb/node-api'

/** Columns by name, each with its SQL type; all of one length. */
export type Columns = Record<string, [type: string, values: readonly (string | number | bigint | boolean | null)[]]>

/** The rows of a chunk, as DuckDB sizes its vectors. */
const chunkRows = 2048

/** Makes a temporary table of whole columns. */
export async function load(connection: DuckDBConnection, table: string, columns: Columns): Promise<void> {
  const definitions = Object.entries(columns).map(([name, [type]]) => `"${name}" ${type}`)
  await connection.run(`create or replace temp table ${table} (${definitions.join(', ')})`)
  const appender = await connection.createAppender(table)
  const values = Object.values(columns).map(([, list]) => list)
  const types = values.map((_, index) => appender.columnType(index))
  const n_rows = values[0]?.length ?? 0
  for (let start = 0; start < n_rows; start += chunkRows) {
    const chunk = DuckDBDataChunk.create(types, Math.min(chunkRows, n_rows - start))
    for (const [index, list] of values.entries()) chunk.setColumnValues(index, list.slice(start, start + chunkRows))
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}
