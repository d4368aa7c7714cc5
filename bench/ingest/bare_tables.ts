import { DuckDBDataChunk, DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

/** Rows on their way to a table, in chunks of DuckDB's size. */
export type Appender = { push: (row: readonly unknown[]) => void; close: () => void }

/** A DuckDB in memory with tables, as the bare loops use it. */
export async function openTables(...statements: readonly string[]): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  for (const statement of statements) await connection.run(statement)
  return connection
}

/** An appender of rows. */
export async function openAppender(
  connection: DuckDBConnection,
  table: string,
  types: ConstructorParameters<typeof Array>[0][],
): Promise<Appender> {
  const appender = await connection.createAppender(table)
  let columns: unknown[][] = types.map(() => [])
  const flush = (): void => {
    if ((columns[0]?.length ?? 0) === 0) return
    const chunk = DuckDBDataChunk.create(types as never)
    chunk.setColumns(columns as never)
    appender.appendDataChunk(chunk)
    columns = types.map(() => [])
  }
  const push = (row: readonly unknown[]): void => {
    for (const [n, value] of row.entries()) columns[n]?.push(value)
    if (columns[0]?.length === 2_048) flush()
  }
  const close = (): void => {
    flush()
    appender.closeSync()
  }
  return { push, close }
}

/** Word `n` of the data of a log. */
export const wordOf = (data: string, n: number): string => data.slice(2 + 64 * n, 66 + 64 * n)

const wrap = 1n << 256n

/** A word as a signed number. */
export const signed = (word: string): bigint =>
  word.charCodeAt(0) >= 56 ? BigInt(`0x${word}`) - wrap : BigInt(`0x${word}`)
