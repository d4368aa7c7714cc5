import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

export type DuckDBLimits = { threads: number; memory: string; scratch: string }

/** An in-memory DuckDB within limits, which spills into `scratch` and reaches nothing outside. */
export async function openDuckDB({ threads, memory, scratch }: DuckDBLimits): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: memory,
    temp_directory: scratch,
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
}

/** Runs `work` on a connection of its own: a stream ends early when another statement runs on its connection. */
export async function withConnection<T>(
  instance: DuckDBInstance,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect()
  try {
    return await work(connection)
  } finally {
    connection.closeSync()
  }
}

/** A string as a SQL literal. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`
