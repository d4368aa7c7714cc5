import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api'

/**
 * The chunks of a select of `n_rows` rows. Throws if the rows are fewer or more: DuckDB ends a stream that fails after
 * its first chunk as it ends a complete one, and another statement on the connection ends it too.
 *
 * A chunk is outside of JavaScript's heap: a caller that reads many resets each of them after its use.
 */
export async function* streamOf(
  connection: DuckDBConnection,
  sql: string,
  n_rows: number,
): AsyncGenerator<DuckDBDataChunk, undefined> {
  const result = await connection.stream(sql)
  let n_read = 0
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    n_read += chunk.rowCount
    yield chunk
  }
  if (n_read !== n_rows) throw new Error(`stream: ${n_read} rows were read; expected ${n_rows}`)
}
