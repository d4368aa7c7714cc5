import {
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampValue,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBValue,
} from '@duckdb/node-api'

import { interruptsOf } from '#storage/duckdb.ts'

import { SnapshotDamaged } from './digest.ts'

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

/**
 * The requests that a query answers: their accounts, the instant of the first by `performance.now()`, and a signal that
 * is aborted once all their callers have gone. `names` grows as further callers ask for the same. `isOfAlerts` marks the
 * evaluation of alerts, which has turns of its own.
 */
export type Asking = { names: ReadonlySet<string>; began_ms: number; signal: AbortSignal; isOfAlerts?: boolean }

/** A query was not run, or not to its end: too many others are asked, its time is over, or its callers have gone. */
export class MartsBusyError extends Error {
  override name = 'MartsBusyError'
}

/** A query names a mart or a column that the snapshot lacks, since another version has published it. */
export class SnapshotOutdated extends Error {
  override name = 'SnapshotOutdated'
}

/** The service itself asks, now. It has the same right to turns as one account. */
export const ofService = (): Asking => ({
  names: service,
  began_ms: performance.now(),
  signal: new AbortController().signal,
})

const service: ReadonlySet<string> = new Set(['service'])

/** A thing whose queries take the turns of alerts. */
export const askedByAlerts = <T extends { query: Query }>(queryable: T): T => ({
  ...queryable,
  query: (sql, params) => queryable.query(sql, params, { ...ofService(), isOfAlerts: true }),
})

/** A thing with queries, which then count as asked by the given callers. */
export const askedBy = <T extends { query: Query }>(queryable: T, asking: Asking): T => ({
  ...queryable,
  query: (sql, params) => queryable.query(sql, params, asking),
})

/**
 * Returns the rows of a select with parameters `$name`. DECIMAL and BIGINT become numbers, TIMESTAMP becomes Micros.
 * Without callers the service itself asks. Throws on invalid SQL, `MartsBusyError`, `SnapshotOutdated`, and
 * `SnapshotDamaged` if a block of the file fails its checksum.
 */
export type Query = (
  sql: string,
  params?: Record<string, string | number | boolean>,
  asking?: Asking,
) => Promise<Record<string, unknown>[]>

/** Callers who wait for one answer. */
export type Callers = {
  asking: Asking
  /** Adds the callers of another request for the same answer. */
  join: (asking: Asking) => void
}

/** Opens the group of an answer with its first callers. Its signal is aborted once all of the group have gone. */
export function openCallers(first: Asking): Callers {
  const names = new Set<string>()
  const gone = new AbortController()
  let n_waiting = 0
  const leave = () => {
    n_waiting--
    if (n_waiting === 0) gone.abort()
  }
  const join = (asking: Asking) => {
    for (const name of asking.names) names.add(name)
    n_waiting++
    if (asking.signal.aborted) leave()
    else asking.signal.addEventListener('abort', leave, { once: true })
  }
  join(first)
  return { asking: { names, began_ms: first.began_ms, signal: gone.signal }, join }
}

/** Runs work when its callers have a turn. */
export type InTurn = <T>(asking: Asking, work: () => Promise<T>) => Promise<T>

/** Takes turns with a number of pieces of work at once for callers, and another for the evaluation of alerts. */
export function takeTurnsByKind(
  atOnce: { callers: number; alerts: number },
  limits: { waiting: number; wait_ms: number },
): InTurn {
  const [ofCallers, ofAlerts] = [takeTurns(atOnce.callers, limits), takeTurns(atOnce.alerts, limits)]
  return (asking, work) => (asking.isOfAlerts === true ? ofAlerts : ofCallers)(asking, work)
}

type Waiting = { asking: Asking; go: () => void; refuse: (why: string) => void }

/**
 * Runs at most `atOnce` pieces of work. Up to `waiting` more wait, each until `wait_ms` after its request. A free turn
 * goes to the account that had none for the longest time, and to its oldest work. If the queue is full, the newest work
 * of the account with the most places gives up its place.
 *
 * Throws `MartsBusyError` for work that waited too long, that found no place or lost it, and whose callers have gone.
 */
export function takeTurns(atOnce: number, { waiting, wait_ms }: { waiting: number; wait_ms: number }): InTurn {
  const queue = new Set<Waiting>()
  /** The number of the last turn of each account, since the queue was last empty. */
  const lastTurns = new Map<string, number>()
  let n_running = 0
  let n_turns = 0

  const begin = ({ names }: Asking) => {
    n_turns++
    for (const name of names) lastTurns.set(name, n_turns)
  }

  const wait = (asking: Asking) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.delete(place)
        clearTimeout(timer)
        asking.signal.removeEventListener('abort', gone)
      }
      const place: Waiting = {
        asking,
        go: () => {
          leave()
          begin(asking)
          resolve()
        },
        refuse: (why) => {
          leave()
          reject(new MartsBusyError(why))
        },
      }
      const gone = () => place.refuse('every caller has gone')
      const left_ms = asking.began_ms + wait_ms - performance.now()
      const timer = setTimeout(() => place.refuse(`no query could begin within ${wait_ms} ms`), Math.max(0, left_ms))
      asking.signal.addEventListener('abort', gone)
      queue.add(place)
    })

  return async (asking, work) => {
    if (asking.signal.aborted) throw new MartsBusyError('every caller has gone')
    if (n_running < atOnce) {
      n_running++
      begin(asking)
    } else {
      if (queue.size >= waiting) makePlace(queue, asking)
      await wait(asking)
    }
    try {
      return await work()
    } finally {
      const following = nextOf(queue, lastTurns)
      if (following) following.go()
      else {
        n_running--
        lastTurns.clear()
      }
    }
  }
}

/** Refuses the newest work of the account with the most places; throws if the new work has no fewer places. */
function makePlace(queue: ReadonlySet<Waiting>, asking: Asking): void {
  const counts = new Map<string, number>()
  for (const waiting of queue) for (const name of waiting.asking.names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const placesOf = ({ names }: Asking) => Math.min(...[...names].map((name) => counts.get(name) ?? 0))
  const most = Math.max(...[...queue].map((waiting) => placesOf(waiting.asking)))
  const newest = [...queue].findLast((waiting) => placesOf(waiting.asking) === most)
  const full = `${queue.size} queries are waiting already`
  if (newest === undefined || most <= placesOf(asking) + 1) throw new MartsBusyError(full)
  newest.refuse(full)
}

/** The oldest work of the account whose last turn is the longest ago. */
function nextOf(queue: ReadonlySet<Waiting>, lastTurns: ReadonlyMap<string, number>): Waiting | undefined {
  let next: { place: Waiting; last: number } | undefined
  for (const place of queue) {
    const last = Math.min(...[...place.asking.names].map((name) => lastTurns.get(name) ?? 0))
    if (next === undefined || last < next.last) next = { place, last }
  }
  return next?.place
}
