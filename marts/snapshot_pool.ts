import { join } from 'node:path'

import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

import { literal } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import type { Publish } from './publications.ts'
import { readAttached, takeTurns, type Attached, type Query } from './query_pool.ts'
import { publishOf } from './snapshot.ts'

/** What is read at once: the marts of one publish, or of both. */
export type Reads = Publish | 'both'

/** A published set of marts. It never changes, so what was read of it once may be kept. */
export type Snapshot = {
  /** Of both: the two ids with a `+` between. */
  id: string
  reads: Reads
  /** The instant that its figures are about; of both the older one. */
  asOf: Micros
  /** The instant of each publish that it reads. */
  instants: Partial<Record<Publish, Micros>>
  publishedAt: Micros
  /** A select names tables as `marts.pm_traders`. Throws once the snapshot has been let go. */
  query: Query
}

/** Snapshots that can be read, each attached read-only to one in-memory DuckDB that can reach no other folder. */
export type SnapshotPool = {
  /** Attaches a snapshot's file under a name of its own and reads enough of it to know that it can be served. */
  attach: (id: string) => Promise<Snapshot>
  /** A pulse and scores as one; the same two are always the same one. */
  pair: (pulse: Snapshot, scores: Snapshot) => Snapshot
  /** Whether no query of it runs, alone or with another. */
  isIdle: (snapshot: Snapshot) => boolean
  /** Lets a snapshot go, and all that it was joined to. */
  detach: (snapshot: Snapshot) => Promise<void>
  close: () => void
}

// One query keeps one thread of the pool busy that files are read with as well, and that has four.
const queriesAtOnce = 3
const queriesWaiting = 1_000

export async function openSnapshotPool({ dir, limit_ms }: { dir: string; limit_ms: number }): Promise<SnapshotPool> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const admin = await instance.connect()
  await seal(admin, dir)
  const limits = { inTurn: takeTurns(queriesAtOnce, queriesWaiting), limit_ms }
  const catalogs = new Map<Snapshot, string>()
  const attached = new Map<Snapshot, Attached>()
  const joined = new Map<string, { both: Snapshot; of: Snapshot[] }>()
  let n_attached = 0

  const attach: SnapshotPool['attach'] = async (id) => {
    const catalog = `snapshot_${++n_attached}`
    await admin.run(`attach ${literal(join(dir, `${id}.duckdb`))} as ${catalog} (read_only)`)
    const reading = readAttached(instance, [catalog], limits)
    try {
      const reads = publishOf(id)
      const { asOf, publishedAt } = await describe(reading.query, reads)
      const snapshot = { id, reads, asOf, instants: { [reads]: asOf }, publishedAt, query: reading.query }
      catalogs.set(snapshot, catalog)
      attached.set(snapshot, reading)
      return snapshot
    } catch (error) {
      reading.close()
      await admin.run(`detach ${catalog}`)
      throw error
    }
  }

  const joinTwo: SnapshotPool['pair'] = (pulse, scores) => {
    const id = `${pulse.id}+${scores.id}`
    const known = joined.get(id)
    if (known) return known.both
    const of = [pulse, scores]
    const found = of.map((one) => catalogs.get(one)).filter((catalog) => catalog !== undefined)
    if (found.length < of.length) throw new Error(`${id} is no longer held`)
    const reading = readAttached(instance, found, limits)
    const both: Snapshot = {
      id,
      reads: 'both',
      asOf: Math.min(pulse.asOf, scores.asOf),
      instants: { ...pulse.instants, ...scores.instants },
      publishedAt: Math.max(pulse.publishedAt, scores.publishedAt),
      query: reading.query,
    }
    attached.set(both, reading)
    joined.set(id, { both, of })
    return both
  }

  const withJoined = (snapshot: Snapshot): Snapshot[] => [
    snapshot,
    ...[...joined.values()].filter(({ of }) => of.includes(snapshot)).map(({ both }) => both),
  ]
  const isIdle: SnapshotPool['isIdle'] = (snapshot) =>
    withJoined(snapshot).every((one) => attached.get(one)?.isIdle() !== false)

  const detach: SnapshotPool['detach'] = async (snapshot) => {
    const catalog = catalogs.get(snapshot)
    if (catalog === undefined) return
    for (const one of withJoined(snapshot)) {
      attached.get(one)?.close()
      attached.delete(one)
      joined.delete(one.id)
    }
    catalogs.delete(snapshot)
    await admin.run(`detach ${catalog}`)
  }

  const close = () => {
    for (const one of attached.values()) one.close()
    admin.closeSync()
    instance.closeSync()
  }
  return { attach, pair: joinTwo, isIdle, detach, close }
}

/** Lets an instance reach one folder and nothing else, for good. */
const seal = (admin: DuckDBConnection, dir: string) =>
  admin.run(`set temp_directory = ''; set allowed_directories = [${literal(dir)}];
    set enable_external_access = false; set lock_configuration = true`)

/** What a snapshot says of itself. A row of each mart is read too, so that a damaged file is found out here. */
const describe = async (query: Query, publish: Publish): Promise<{ asOf: Micros; publishedAt: Micros }> => {
  const [build] = await query(
    `select min(as_of) as as_of, max(built_at) as built_at,
    count(*) filter (publish <> $publish) as n_others from meta.build`,
    { publish },
  )
  if (typeof build?.['as_of'] !== 'number' || typeof build['built_at'] !== 'number') {
    throw new Error('meta.build is empty; a row for each table, with as_of and built_at, is expected')
  }
  if (build['n_others'] !== 0) throw new Error(`meta.build tells of other tables than those of ${publish}`)
  const tables = await query(`select table_name as name from duckdb_tables()
    where database_name = current_database() and schema_name = 'marts' order by name`)
  for (const { name } of tables) await query(`select hash(t) from marts."${String(name)}" as t limit 1`)
  return { asOf: build['as_of'], publishedAt: build['built_at'] }
}
