import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { literal, openSmallDuckDB } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { assertIntact } from './digest.ts'
import type { PublicationName } from './publications.ts'
import { readAttached, takeTurnsByKind, type Attached, type Query } from './queries.ts'
import { publicationOf } from './snapshot.ts'

/** The marts of one publication, or of several read as one. They never change, so their rows may be cached. */
export type Snapshot = {
  /** The ids of the combined snapshots are joined by `+`. */
  id: string
  publications: readonly PublicationName[]
  /** The time of the data; of several snapshots the earliest. */
  asOf: Micros
  /** The time of the data of each publication. */
  instants: Partial<Record<PublicationName, Micros>>
  publishedAt: Micros
  /** The names of its marts. A snapshot of an earlier version may lack some. */
  tables: ReadonlySet<string>
  /** A select names tables as `marts.pm_traders`. Throws after the snapshot was detached. */
  query: Query
}

/** Snapshots attached read-only to one in-memory DuckDB, which can read no other folder. */
export type SnapshotPool = {
  /** Attaches a snapshot's file and checks that it can be served. Throws `SnapshotDamaged` if its bytes changed. */
  attach: (id: string) => Promise<Snapshot>
  /** Several snapshots as one: a table is read from the first that has it. Equal snapshots give the same object. */
  combine: (snapshots: readonly Snapshot[]) => Snapshot
  /** Whether no query of the snapshot runs, alone or in a combination. */
  isIdle: (snapshot: Snapshot) => boolean
  /** Detaches a snapshot, with all its combinations. */
  detach: (snapshot: Snapshot) => Promise<void>
  close: () => void
}

// A query occupies one thread of the pool that also reads files. That pool has four threads.
const queriesAtOnce = 3
/** Alerts are evaluated beside the callers, whatever these ask. Their queries are few and short. */
const alertQueriesAtOnce = 1
const queriesWaiting = 300
/** The part of a query's time that it may wait for its turn. */
const waitingShare = 0.4

export async function openSnapshotPool({ dir, limit_ms }: { dir: string; limit_ms: number }): Promise<SnapshotPool> {
  const instance = await openSmallDuckDB('512MB')
  const admin = await instance.connect()
  await seal(admin, dir)
  const turns = { waiting: queriesWaiting, wait_ms: limit_ms * waitingShare }
  const inTurn = takeTurnsByKind({ callers: queriesAtOnce, alerts: alertQueriesAtOnce }, turns)
  const limits = { inTurn, limit_ms }
  const catalogs = new Map<Snapshot, string>()
  const attached = new Map<Snapshot, Attached>()
  const combined = new Map<string, { whole: Snapshot; parts: readonly Snapshot[] }>()
  let n_attached = 0

  const attach: SnapshotPool['attach'] = async (id) => {
    await assertIntact(dir, id)
    const catalog = `snapshot_${++n_attached}`
    await admin.run(`attach ${literal(join(dir, `${id}.duckdb`))} as ${catalog} (read_only)`)
    const reading = readAttached(instance, [catalog], limits)
    try {
      const publication = publicationOf(id)
      // A new snapshot is checked at once, however many queries wait.
      const checking = readAttached(instance, [catalog], { inTurn: (_asking, work) => work(), limit_ms })
      const { asOf, ...described } = await describe(checking.query, publication).finally(checking.close)
      const instants = { [publication]: asOf }
      const snapshot = { id, publications: [publication], asOf, instants, ...described, query: reading.query }
      catalogs.set(snapshot, catalog)
      attached.set(snapshot, reading)
      return snapshot
    } catch (error) {
      reading.close()
      await admin.run(`detach ${catalog}`)
      throw error
    }
  }

  const combine: SnapshotPool['combine'] = (parts) => {
    const [only] = parts
    if (only && parts.length === 1) return only
    const id = parts.map((part) => part.id).join('+')
    const cached = combined.get(id)
    if (cached) return cached.whole
    const partCatalogs = parts.map((part) => catalogs.get(part)).filter((catalog) => catalog !== undefined)
    if (partCatalogs.length < parts.length) throw new Error(`${id}: detached; expected attached snapshots`)
    const reading = readAttached(instance, partCatalogs, limits)
    const whole = combinationOf(id, parts, reading.query)
    attached.set(whole, reading)
    combined.set(id, { whole, parts })
    return whole
  }

  const withCombined = (snapshot: Snapshot): Snapshot[] => [
    snapshot,
    ...[...combined.values()].filter(({ parts }) => parts.includes(snapshot)).map(({ whole }) => whole),
  ]
  const isIdle: SnapshotPool['isIdle'] = (snapshot) =>
    withCombined(snapshot).every((affected) => attached.get(affected)?.isIdle() !== false)

  const detach: SnapshotPool['detach'] = async (snapshot) => {
    const catalog = catalogs.get(snapshot)
    if (catalog === undefined) return
    for (const affected of withCombined(snapshot)) {
      attached.get(affected)?.close()
      attached.delete(affected)
      combined.delete(affected.id)
    }
    catalogs.delete(snapshot)
    await admin.run(`detach ${catalog}`)
  }

  const close = () => {
    for (const reading of attached.values()) reading.close()
    admin.closeSync()
    instance.closeSync()
  }
  return { attach, combine, isIdle, detach, close }
}

const combinationOf = (id: string, parts: readonly Snapshot[], query: Query): Snapshot => ({
  id,
  publications: parts.flatMap(({ publications }) => publications),
  asOf: Math.min(...parts.map(({ asOf }) => asOf)),
  instants: Object.assign({}, ...parts.map(({ instants }) => instants)) as Snapshot['instants'],
  publishedAt: Math.max(...parts.map(({ publishedAt }) => publishedAt)),
  tables: new Set(parts.flatMap(({ tables }) => [...tables])),
  query,
})

/** Restricts an instance to one folder until it is closed. */
const seal = (admin: DuckDBConnection, dir: string) =>
  admin.run(`set allowed_directories = [${literal(dir)}];
    set enable_external_access = false; set lock_configuration = true`)

/** The metadata of a snapshot. It also reads a row of each mart, so that a damaged file fails here. */
const describe = async (
  query: Query,
  publication: PublicationName,
): Promise<Pick<Snapshot, 'asOf' | 'publishedAt' | 'tables'>> => {
  const [build] = await query(
    `select min(as_of) as as_of, max(built_at) as built_at,
    count(*) filter (publication <> $publication) as n_others from meta.build`,
    { publication },
  )
  if (typeof build?.['as_of'] !== 'number' || typeof build['built_at'] !== 'number') {
    throw new Error('meta.build: empty; expected a row for each table, with as_of and built_at')
  }
  if (build['n_others'] !== 0) throw new Error(`meta.build: tables of other publications; expected ${publication} only`)
  const tables = await query(`select table_name as name from duckdb_tables()
    where database_name = current_database() and schema_name = 'marts' order by name`)
  const names = tables.map(({ name }) => String(name))
  for (const name of names) await query(`select hash(t) from marts."${name}" as t limit 1`)
  return { asOf: build['as_of'], publishedAt: build['built_at'], tables: new Set(names) }
}
