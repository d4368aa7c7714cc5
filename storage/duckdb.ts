import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

export type DuckDBLimits = { threads: number; memory: string; scratch: string }

/** An in-memory DuckDB with limits. It spills into `scratch` and reaches no other folder or network. */
export async function openDuckDB({ threads, memory, scratch }: DuckDBLimits): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    ...common,
    threads: String(threads),
    memory_limit: memory,
    temp_directory: scratch,
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
}

/** A small in-memory DuckDB of one thread, which keeps the order of rows and spills nowhere. */
export const openSmallDuckDB = (memory = '256MB'): Promise<DuckDBInstance> =>
  DuckDBInstance.create(':memory:', { ...common, threads: '1', memory_limit: memory, temp_directory: '' })

const common = {
  // DuckDB caches the contents of each file by path, up to the memory limit. The files of a reader have unique names
  // and are not read again, so a process that runs for days would fill the limit with them.
  enable_external_file_cache: 'false',
  // Its allocator otherwise keeps the memory that statements free: after a sort of gigabytes, twice the memory limit.
  // All instances of a process have one allocator, and the one that was opened last decides.
  allocator_background_threads: 'true',
}

/** Runs `work` on a separate connection: a stream ends early if another statement runs on its connection. */
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

/**
 * Interrupts the statements of a connection from `begin` to `end`. DuckDB forgets an interrupt that comes before a
 * thread has begun the statement, or between its preparation and its execution, so the interrupt is repeated.
 */
export function interruptsOf(connection: DuckDBConnection): { begin: () => void; end: () => void } {
  let timer: NodeJS.Timeout | undefined
  const interrupt = (): void => connection.interrupt()
  return {
    begin: () => {
      interrupt()
      timer ??= setInterval(interrupt, repeat_ms)
    },
    end: () => clearInterval(timer),
  }
}

const repeat_ms = 20

/**
 * The options of `COPY` for Parquet. Level 1 of zstd takes half the time of DuckDB's level 3, and makes smaller files
 * of addresses, hashes and numbers.
 */
export const parquet = 'format parquet, compression zstd, compression_level 1'

/** A string as a SQL literal. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`
