import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import {
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBTimestampValue,
  type DuckDBConnection,
  type DuckDBValue,
} from '@duckdb/node-api'

import type { Clock } from './clock.ts'
import type { Micros } from './columns.ts'

/** A published set of marts. It never changes, so what was read of it once may be kept. */
export type Snapshot = {
  id: string
  /** The instant that its figures are about. */
  asOf: Micros
  publishedAt: Micros
  /**
   * Rows of a select that names tables as `marts.pm_traders`; parameters are `$name`. DECIMAL and BIGINT come as
   * numbers, TIMESTAMP as Micros. Throws on wrong SQL, after the time limit, and when the snapshot has been let go.
   */
  query: (sql: string, params?: Record<string, string | number | boolean>) => Promise<Record<string, unknown>[]>
}

export type Marts = {
  /** The newest snapshot that can be read; null before the first. */
  current: () => Snapshot | null
  /** The current snapshot or one that was replaced a short while ago; null for any other. */
  at: (id: string) => Snapshot | null
  /** Why the newest published snapshot is not the current one; null when it is. */
  fault: () => string | null
  /** Looks for a new snapshot now. Never rejects: what goes wrong is told by `fault`. */
  refresh: () => Promise<void>
  close: () => Promise<void>
}

/** More queries are waiting than can be answered soon. */
export class MartsBusyError extends Error {
  override name = 'MartsBusyError'
}

const queriesAtOnce = 4
const queriesWaiting = 1_000

/**
 * Follows `<dir>/current.json` (`{"scores": "<id>"}`) and serves `<dir>/<id>.duckdb`, each attached read-only to one
 * in-memory DuckDB that can reach no other file. A replaced snapshot answers for another `keep_ms`.
 */
export async function openMarts(of: {
  dir: string
  now: Clock
  keep_ms?: number
  poll_ms?: number
  /** A query, its wait included, is interrupted after this time. */
  limit_ms?: number
}): Promise<Marts> {
  const { now, keep_ms = 15 * 60_000, poll_ms = 1_000, limit_ms = 5_000 } = of
  const dir = resolve(of.dir)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const admin = await instance.connect()
  await admin.run(
    `set allowed_directories = [${quote(dir)}]; set enable_external_access = false; set lock_configuration = true`,
  )

  const inTurn = limiter(queriesAtOnce, queriesWaiting)
  const held = new Map<string, Held>()
  let current: Held | null = null
  let fault: string | null = null
  let n_attached = 0

  const take = async (id: string): Promise<Held> => {
    const catalog = `snapshot_${++n_attached}`
    await admin.run(`attach ${quote(join(dir, `${id}.duckdb`))} as ${catalog} (read_only)`)
    try {
      const reader = readerOf(instance, catalog, inTurn, limit_ms)
      const of = await describe(reader.query)
      return { ...reader, snapshot: { id, ...of, query: reader.query }, catalog, replacedAt: null }
    } catch (error) {
      await admin.run(`detach ${catalog}`)
      throw error
    }
  }

  const makeCurrent = (next: Held) => {
    if (current) current.replacedAt = now()
    next.replacedAt = null
    held.set(next.snapshot.id, next)
    current = next
  }

  const letGo = async (id: string, old: Held) => {
    held.delete(id)
    old.close()
    await admin.run(`detach ${old.catalog}`)
  }

  const look = async () => {
    try {
      const id = await readPointer(dir)
      if (id === null && current) throw new Error(`${join(dir, 'current.json')} is gone`)
      if (id !== null && id !== current?.snapshot.id) makeCurrent(held.get(id) ?? (await take(id)))
      fault = null
    } catch (error) {
      fault = `the newest snapshot cannot be served: ${messageOf(error)}`
    }
    for (const [id, old] of held) {
      const isDue = old.replacedAt !== null && now() - old.replacedAt >= keep_ms * 1_000
      if (isDue && old.isIdle()) await letGo(id, old)
    }
  }

  // One look after another, so that two never attach the same file, and a caller's look sees what was there by then.
  let last = Promise.resolve()
  const refresh = () => (last = last.then(look))

  await refresh()
  const timer = setInterval(() => void refresh(), poll_ms).unref()
  return {
    current: () => current?.snapshot ?? null,
    at: (id) => held.get(id)?.snapshot ?? null,
    fault: () => fault,
    refresh,
    close: async () => {
      clearInterval(timer)
      await last
      for (const one of held.values()) one.close()
      admin.closeSync()
      instance.closeSync()
    },
  }
}

type Reader = { query: Snapshot['query']; isIdle: () => boolean; close: () => void }
type Held = Reader & { snapshot: Snapshot; catalog: string; replacedAt: Micros | null }

/** Queries of one attached snapshot. A connection serves one query at a time and is kept for the next. */
const readerOf = (instance: DuckDBInstance, catalog: string, inTurn: InTurn, limit_ms: number): Reader => {
  const idle: DuckDBConnection[] = []
  let n_running = 0
  let isClosed = false

  const connect = async () => {
    const connection = await instance.connect()
    await connection.run(`use ${catalog}`)
    return connection
  }

  const query: Snapshot['query'] = async (sql, params = {}) => {
    if (isClosed) throw new Error('this snapshot was replaced a while ago and is no longer held')
    n_running++
    const deadline = performance.now() + limit_ms
    try {
      return await inTurn(async () => {
        const connection = idle.pop() ?? (await connect())
        const timer = setTimeout(() => connection.interrupt(), Math.max(0, deadline - performance.now()))
        try {
          const reader = await connection.runAndReadAll(sql, params)
          const rows = reader.convertRowObjects<unknown>(toJs)
          idle.push(connection)
          return rows
        } catch (error) {
          connection.closeSync()
          throw error
        } finally {
          clearTimeout(timer)
        }
      })
    } finally {
      n_running--
    }
  }

  const close = () => {
    isClosed = true
    for (const connection of idle.splice(0)) connection.closeSync()
  }
  return { query, isIdle: () => n_running === 0, close }
}

/** Reads what the snapshot says of itself, and a row of each mart, so that a damaged file is found out here. */
const describe = async (query: Snapshot['query']): Promise<{ asOf: Micros; publishedAt: Micros }> => {
  const [build] = await query('select min(as_of) as as_of, max(built_at) as built_at from meta.build')
  if (typeof build?.['as_of'] !== 'number' || typeof build['built_at'] !== 'number') {
    throw new Error('meta.build is empty; a row for each table, with as_of and built_at, is expected')
  }
  const tables = await query(`select table_name as name from duckdb_tables()
    where database_name = current_database() and schema_name = 'marts' order by name`)
  for (const { name } of tables) await query(`select hash(t) from marts."${String(name)}" as t limit 1`)
  return { asOf: build['as_of'], publishedAt: build['built_at'] }
}

const readPointer = async (dir: string): Promise<string | null> => {
  const path = join(dir, 'current.json')
  let body
  try {
    body = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const pointer: unknown = JSON.parse(body)
  const id = typeof pointer === 'object' && pointer && 'scores' in pointer ? pointer.scores : undefined
  if (typeof id === 'string' && /^[\w-][\w.-]*$/.test(id)) return id
  throw new Error(`${path} names no snapshot; {"scores": "<id>"} is expected`)
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** At most `atOnce` pieces of work run, the others wait in order; past `waiting` of them a caller is turned away. */
const limiter = (atOnce: number, waiting: number): InTurn => {
  const queue: (() => void)[] = []
  let n_running = 0
  return async (work) => {
    if (n_running < atOnce) n_running++
    else if (queue.length < waiting) await new Promise<void>((go) => queue.push(go))
    else throw new MartsBusyError(`${waiting} queries are waiting already`)
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else n_running--
    }
  }
}

/** A value as JSON will show it. The quotient of two exact doubles is the double next to the decimal. */
const toJs = (value: DuckDBValue): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof DuckDBDecimalValue) {
    const isExact = value.value <= Number.MAX_SAFE_INTEGER && value.value >= -Number.MAX_SAFE_INTEGER
    return isExact ? Number(value.value) / 10 ** value.scale : Number(value.toString())
  }
  if (value instanceof DuckDBTimestampValue) return Number(value.micros)
  if (value instanceof DuckDBListValue) return value.items.map(toJs)
  if (value === null || typeof value !== 'object') return value
  throw new Error(`a ${value.constructor.name} has no form here; cast it in the select`)
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
