import {
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampValue,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBValue,
} from '@duckdb/node-api'

import { interruptsOf } from '#storage/duckdb.ts'

import { MartsBusyError, ofService, SnapshotOutdated, type Asking, type Query } from './asking.ts'
import { SnapshotDamaged } from './digest.ts'
import type { InTurn } from './turns.ts'

/** Databases attached to an instance and read as one. */
export type Attached = { query: Query; isIdle: () => boolean; close: () => void }

/** A query waits for its turn. It is interrupted `limit_ms` after its request, and once its callers have gone. */
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

  const run = async ({ began_ms, signal }: Asking, sql: string, params: Parameters<Query>[1] = {}) => {
    const connection = idle.pop() ?? (await connect())
    let why: string | null = null
    const interrupts = interruptsOf(connection)
    const interrupt = (reason: string) => {
      why = reason
      interrupts.begin()
    }
    const gone = () => interrupt('every caller has gone')
    const late = () => interrupt(`a query was interrupted ${limit_ms} ms after its request`)
    const timer = setTimeout(late, Math.max(0, began_ms + limit_ms - performance.now()))
    signal.addEventListener('abort', gone)
    // They may have gone while the connection was made.
    if (signal.aborted) gone()
    try {
      const reader = await connection.runAndReadAll(sql, params)
      const rows = reader.convertRowObjects<unknown>(toJs)
      idle.push(connection)
      return rows
    } catch (error) {
      connection.closeSync()
      if (why !== null || isInterrupt(error)) throw new MartsBusyError(why ?? 'a query was interrupted')
      if (isDamage(error)) throw new SnapshotDamaged(`snapshot: damaged, ${error.message}`)
      const lacking = lackingIn(error)
      if (lacking === undefined) throw error
      throw new SnapshotOutdated(`${remedy}: ${lacking}`, { cause: error })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', gone)
      interrupts.end()
    }
  }

  return {
    query: async (sql, params, asking = ofService()) => {
      if (isClosed) throw new Error('snapshot: detached after it was replaced; expected an attached snapshot')
      n_running++
      try {
        return await inTurn(asking, () => run(asking, sql, params))
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

const isInterrupt = (error: unknown): boolean => error instanceof Error && error.message.startsWith('INTERRUPT Error')

/** DuckDB checks each block that it reads. A flipped bit after the file was attached is found here. */
const isDamage = (error: unknown): error is Error =>
  error instanceof Error && /Corrupt database file|stored checksum/.test(error.message)

const remedy = 'the snapshot is of another version ("tapeline score" publishes a new one)'

/** What a snapshot lacks, in the words of DuckDB; undefined for any other error. The queries of endpoints are fixed. */
const lackingIn = (error: unknown): string | undefined =>
  error instanceof Error ? absence.exec(error.message)?.[1] : undefined

const absence = /^(?:Catalog Error: (?=Table with)|Binder Error: (?=Referenced column|Table ))(.*)/

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
