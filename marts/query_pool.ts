import {
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampValue,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBValue,
} from '@duckdb/node-api'

import { SnapshotDamaged } from './digest.ts'

/**
 * Returns the rows of a select with parameters `$name`. DECIMAL and BIGINT become numbers, TIMESTAMP becomes Micros.
 * Throws on invalid SQL, after the time limit, and `SnapshotDamaged` if a block of the file fails its checksum.
 */
export type Query = (
  sql: string,
  params?: Record<string, string | number | boolean>,
) => Promise<Record<string, unknown>[]>

/** Databases attached to an instance and read as one. */
export type Attached = { query: Query; isIdle: () => boolean; close: () => void }

/** A query was not run, or not to its end, since too many others are asked. */
export class MartsBusyError extends Error {
  override name = 'MartsBusyError'
}

/** A query waits for its turn, and is interrupted `limit_ms` after it was asked. */
export type Limits = { inTurn: InTurn; limit_ms: number }

/**
 * Reads attached catalogs. `marts.<table>` is read from the first catalog that has the table, `meta` from the first
 * catalog. A connection serves one query at a time.
 */
export function readAttached(
  instance: DuckDBInstance,
  catalogs: readonly string[],
  { inTurn, limit_ms }: Limits,
): Attached {
  const idle: DuckDBConnection[] = []
  let n_running = 0
  let isClosed = false

  const connect = async () => {
    const connection = await instance.connect()
    await connection.run(`set search_path = '${catalogs.map((catalog) => `${catalog}.marts`).join()}'`)
    return connection
  }

  const run = async (deadline: number, ...[sql, params = {}]: Parameters<Query>) => {
    const connection = idle.pop() ?? (await connect())
    let isLate = false
    const interrupt = () => {
      isLate = true
      connection.interrupt()
    }
    const timer = setTimeout(interrupt, Math.max(0, deadline - performance.now()))
    try {
      const reader = await connection.runAndReadAll(sql, params)
      const rows = reader.convertRowObjects<unknown>(toJs)
      idle.push(connection)
      return rows
    } catch (error) {
      connection.closeSync()
      if (isLate) throw new MartsBusyError(`a query was interrupted after ${limit_ms} ms`)
      throw isDamage(error) ? new SnapshotDamaged(`snapshot: damaged, ${error.message}`) : error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    query: async (...asked) => {
      if (isClosed) throw new Error('snapshot: detached after it was replaced; expected an attached snapshot')
      const deadline = performance.now() + limit_ms
      n_running++
      try {
        return await inTurn(() => run(deadline, ...asked))
      } finally {
        n_running--
      }
    },
    isIdle: () => n_running === 0,
    close: () => {
      isClosed = true
      for (const connection of idle.splice(0)) connection.closeSync()
    },
  }
}

/** DuckDB checks each block that it reads. A flipped bit after the file was attached is found here. */
const isDamage = (error: unknown): error is Error =>
  error instanceof Error && /Corrupt database file|stored checksum/.test(error.message)

/** Runs work when a slot is free. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `atOnce` pieces of work. Up to `waiting` more wait in order, each for at most `wait_ms`. Throws
 * `MartsBusyError` beyond that, so that callers who are turned away learn it soon and the queue never outlasts a burst.
 */
export function takeTurns(atOnce: number, { waiting, wait_ms }: { waiting: number; wait_ms: number }): InTurn {
  const queue = new Set<() => void>()
  let n_running = 0

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const leave = setTimeout(() => {
        queue.delete(go)
        reject(new MartsBusyError(`no query could begin within ${wait_ms} ms`))
      }, wait_ms)
      const go = () => {
        clearTimeout(leave)
        resolve()
      }
      queue.add(go)
    })

  return async (work) => {
    if (n_running < atOnce) n_running++
    else if (queue.size < waiting) await turn()
    else throw new MartsBusyError(`${waiting} queries are waiting already`)
    try {
      return await work()
    } finally {
      const [next] = queue
      if (next) {
        queue.delete(next)
        next()
      } else n_running--
    }
  }
}

/** A value for JSON. The quotient of two exact doubles is the double nearest to the decimal. */
const toJs = (value: DuckDBValue): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof DuckDBDecimalValue) {
    const isExact = value.value <= Number.MAX_SAFE_INTEGER && value.value >= -Number.MAX_SAFE_INTEGER
    return isExact ? Number(value.value) / 10 ** value.scale : Number(value.toString())
  }
  if (value instanceof DuckDBTimestampValue) return Number(value.micros)
  if (value instanceof DuckDBListValue) return value.items.map(toJs)
  if (value === null || typeof value !== 'object') return value
  throw new Error(`column type ${value.constructor.name}: unsupported; expected a cast in the select`)
}
