import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

import { readAttached, takeTurns, type Attached, type InTurn, type Query } from './attached.ts'
import type { Clock } from './clock.ts'
import type { Micros } from './columns.ts'
import { literal } from './duckdb.ts'

/** A published set of marts. It never changes, so what was read of it once may be kept. */
export type Snapshot = {
  id: string
  /** The instant that its figures are about. */
  asOf: Micros
  publishedAt: Micros
  /** A select names tables as `marts.pm_traders`. Throws once the snapshot has been let go. */
  query: Query
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

// One query keeps one thread of the pool busy that files are read with as well, and that has four.
const queriesAtOnce = 3
const queriesWaiting = 1_000

type Held = Attached & { snapshot: Snapshot; catalog: string; replacedAt: Micros | null }

/**
 * Follows `<dir>/current.json` (`{"scores": "<id>"}`) and serves `<dir>/<id>.duckdb`, each attached read-only to one
 * in-memory DuckDB that can reach no other folder. A replaced snapshot answers for another `keep_ms`, also one that
 * was replaced shortly before this process began. A query, its wait included, is interrupted after `limit_ms`.
 */
export async function openMarts(of: {
  dir: string
  now: Clock
  keep_ms?: number
  poll_ms?: number
  limit_ms?: number
}): Promise<Marts> {
  const { now, keep_ms = 15 * 60_000, poll_ms = 1_000, limit_ms = 5_000 } = of
  const dir = resolve(of.dir)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const admin = await instance.connect()
  await seal(admin, dir)
  const take = taker({ dir, instance, admin, inTurn: takeTurns(queriesAtOnce, queriesWaiting), limit_ms })
  const held = new Map<string, Held>()
  let current: Held | null = null
  let fault: string | null = null

  const follow = async () => {
    const id = await readPointer(dir)
    if (id === null && current) throw new Error(`${join(dir, 'current.json')} is gone`)
    if (id === null || id === current?.snapshot.id) return
    const next = held.get(id) ?? (await take(id))
    const isFirst = current === null
    if (current) current.replacedAt = now()
    next.replacedAt = null
    held.set(id, next)
    current = next
    if (isFirst) await recall(id)
  }

  /** Takes up again what a process before this one may have given cursors for. */
  const recall = async (newest: string) => {
    for (const { id, replacedAt } of await listReplaced(dir, newest)) {
      if (now() - replacedAt >= keep_ms * 1_000) continue
      // One that cannot be read any more ends its cursors and nothing else.
      const old = await take(id).catch(() => null)
      if (old) held.set(id, { ...old, replacedAt })
    }
  }

  const letGo = async () => {
    for (const [id, old] of held) {
      const isDue = old.replacedAt !== null && now() - old.replacedAt >= keep_ms * 1_000
      if (!isDue || !old.isIdle()) continue
      held.delete(id)
      old.close()
      await admin.run(`detach ${old.catalog}`)
    }
  }

  const look = async () => {
    try {
      await follow()
      await letGo()
      fault = null
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      // It is shown to anyone who asks whether the service is ready, whom paths are no business of.
      fault = `the newest snapshot cannot be served: ${reason.replaceAll(`${dir}/`, '')}`
    }
  }

  // One look after another: two never attach the same file, and a caller's look sees what was there when it asked.
  let last = Promise.resolve()
  const refresh = () => (last = last.then(look))
  await refresh()
  const timer = setInterval(() => void refresh(), poll_ms).unref()

  const close = async () => {
    clearInterval(timer)
    await last
    for (const one of held.values()) one.close()
    admin.closeSync()
    instance.closeSync()
  }
  const at = (id: string) => held.get(id)?.snapshot ?? null
  return { current: () => current?.snapshot ?? null, at, fault: () => fault, refresh, close }
}

/** Lets an instance reach one folder and nothing else, for good. */
const seal = (admin: DuckDBConnection, dir: string) =>
  admin.run(`set temp_directory = ''; set allowed_directories = [${literal(dir)}];
    set enable_external_access = false; set lock_configuration = true`)

type Taker = { dir: string; instance: DuckDBInstance; admin: DuckDBConnection; inTurn: InTurn; limit_ms: number }

/** Attaches a snapshot's file under a name of its own and reads enough of it to know that it can be served. */
const taker = ({ dir, instance, admin, ...limits }: Taker): ((id: string) => Promise<Held>) => {
  let n_attached = 0
  return async (id) => {
    const catalog = `snapshot_${++n_attached}`
    await admin.run(`attach ${literal(join(dir, `${id}.duckdb`))} as ${catalog} (read_only)`)
    const attached = readAttached(instance, catalog, limits)
    try {
      const snapshot = { id, ...(await describe(attached.query)), query: attached.query }
      return { ...attached, snapshot, catalog, replacedAt: null }
    } catch (error) {
      attached.close()
      await admin.run(`detach ${catalog}`)
      throw error
    }
  }
}

/** What the snapshot says of itself. A row of each mart is read too, so that a damaged file is found out here. */
const describe = async (query: Query): Promise<{ asOf: Micros; publishedAt: Micros }> => {
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

/** The snapshots before the newest, each with the instant at which the file of the one after it was finished. */
const listReplaced = async (dir: string, newest: string): Promise<{ id: string; replacedAt: Micros }[]> => {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.duckdb'))
  const files = await Promise.all(
    names.map(async (name) => ({ id: name.slice(0, -'.duckdb'.length), at: (await stat(join(dir, name))).mtimeMs })),
  )
  const inOrder = files.toSorted((a, b) => a.at - b.at)
  const next = inOrder.slice(1)
  return inOrder
    .slice(
      0,
      inOrder.findIndex(({ id }) => id === newest),
    )
    .map(({ id }, i) => ({ id, replacedAt: Math.round((next[i]?.at ?? 0) * 1_000) }))
}
