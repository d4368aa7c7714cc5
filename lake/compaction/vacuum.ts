import { sql } from 'kysely'

import { unpinKilled } from '#lake/backup_pin.ts'
import { catalogTime, type Catalog, type Commit } from '#lake/catalog/catalog.ts'
import { chunks, deleteUnnamed, storedPath, type FilePath } from '#lake/catalog/commit_units.ts'
import { deletedRows } from '#lake/catalog/tables.ts'
import type { Lake } from '#lake/lake.ts'
import { lakeTable, stored } from '#lake/sql.ts'
import type { Micros } from '#time.ts'

export type VacuumSettings = {
  /** The machine's time. */
  now: Micros
  /** For how long a replaced snapshot is kept: longer than any reader takes. A day is usual. */
  keep_ms: number
  /** Of older snapshots than `after_ms`, the last one of each `every_ms` is kept. */
  thin?: { after_ms: number; every_ms: number }
  /** Ends it between two steps. */
  signal?: AbortSignal
  /** Only reports the files to delete now. */
  dryRun?: boolean
}

export type Vacuumed = { deleted: string[]; n_snapshots: number }

/**
 * Removes expired and thinned snapshots, except pinned ones. It then deletes the data files that no kept snapshot
 * names, with those of writers that died before their commit. It may be killed at any point: the next call lists the
 * files and finds the rest.
 */
export async function vacuum(lake: Lake, settings: VacuumSettings): Promise<Vacuumed> {
  const { catalog, storage } = lake
  const { now, keep_ms, thin, signal, dryRun = false } = settings
  const cutoff = now - keep_ms * 1_000
  if (dryRun) return { deleted: (await unnamedFiles(lake, cutoff)).map(storedPath), n_snapshots: 0 }
  const { n_snapshots, expired } = await catalog.commit((commit) => expireSnapshots(commit, settings, catalog.tableIds))
  const deleted = new Set<string>()
  const remove = async (files: readonly FilePath[], before: Micros): Promise<void> => {
    const isOld = async (file: FilePath): Promise<boolean> =>
      ((await storage.modifiedAt(storedPath(file))) ?? Infinity) < before
    for (const some of chunks(files, 100)) {
      if (signal?.aborted === true) return
      for (const file of await deleteUnnamed(catalog, storage, some, isOld)) deleted.add(storedPath(file))
    }
  }
  // A writer may store a file of the same name at this moment, and commit it.
  await remove(expired, now - Math.min(keep_ms, thin?.after_ms ?? keep_ms) * 1_000)
  await remove(await unnamedFiles(lake, cutoff), cutoff)
  return { deleted: [...deleted], n_snapshots }
}

/** Later than any snapshot, also one of a clock that was ahead. */
const never = Date.UTC(2200, 0) * 1_000

/** Removes all but the newest snapshot from a catalog that nothing else has open. Data files stay. */
export const keepNewest = (catalog: Catalog): Promise<unknown> =>
  catalog.commit((commit) => expireSnapshots(commit, { now: never, keep_ms: 0 }, catalog.tableIds))

/** Removes all that concerns expired snapshots alone. Returns how many there were, and the data files that go. */
async function expireSnapshots(
  { tx }: Commit,
  { now, keep_ms, thin }: VacuumSettings,
  tableIds: ReadonlyMap<string, number>,
): Promise<{ n_snapshots: number; expired: FilePath[] }> {
  await unpinKilled(tx, now)
  const ids = await expiredIds(tx, now - keep_ms * 1_000, () => true)
  if (thin !== undefined) ids.push(...(await expiredIds(tx, now - thin.after_ms * 1_000, thinned(thin.every_ms))))
  for (const part of chunks([...new Set(ids)])) {
    await tx.deleteFrom('ducklake_snapshot').where('snapshot_id', 'in', part).execute()
    await tx.deleteFrom('ducklake_snapshot_changes').where('snapshot_id', 'in', part).execute()
  }
  if (ids.length === 0) return { n_snapshots: 0, expired: [] }
  const isUnseen = sql<boolean>`not exists (select 1 from ducklake_snapshot s
    where s.snapshot_id >= begin_snapshot and s.snapshot_id < end_snapshot)`
  await tx.deleteFrom('tapeline_coverage').where('end_snapshot', 'is not', null).where(isUnseen).execute()
  const files = tx.deleteFrom('ducklake_data_file').where('end_snapshot', 'is not', null).where(isUnseen)
  const gone = await files.returning(['data_file_id', 'table_id', 'path']).execute()
  for (const part of chunks(gone.map(({ data_file_id }) => data_file_id))) {
    await tx.deleteFrom('ducklake_file_column_stats').where('data_file_id', 'in', part).execute()
    await tx.deleteFrom('tapeline_files').where('data_file_id', 'in', part).execute()
    for (const id of tableIds.values()) await tx.deleteFrom(deletedRows(id)).where('file_id', 'in', part).execute()
  }
  const names = new Map([...tableIds].map(([name, id]) => [id, name]))
  const expired = gone.map(({ table_id, path }) => ({ dataset: names.get(table_id) ?? '', path }))
  return { n_snapshots: new Set(ids).size, expired }
}

/** Whether a snapshot may go, by its instant and that of the next one. */
type MayGo = (at_ms: number, next_ms: number) => boolean

/** Of the snapshots of an interval the last one stays. */
const thinned =
  (every_ms: number): MayGo =>
  (at_ms, next_ms) =>
    Math.floor(at_ms / every_ms) === Math.floor(next_ms / every_ms)

/** The snapshots that were replaced before an instant and may go. Pinned ones stay. */
async function expiredIds(tx: Commit['tx'], before: Micros, mayGo: MayGo): Promise<number[]> {
  const snapshots = await tx
    .selectFrom('ducklake_snapshot')
    .select(['snapshot_id', 'snapshot_time'])
    .where('snapshot_time', '<=', catalogTime(before))
    .orderBy('snapshot_id')
    .execute()
  const pins = await tx.selectFrom('tapeline_pins').select('snapshot_id').execute()
  const pinned = new Set(pins.map(({ snapshot_id }) => snapshot_id))
  // A reader may have begun with the last one, which was current then.
  return snapshots.slice(0, -1).flatMap(({ snapshot_id, snapshot_time }, n) => {
    const next = snapshots[n + 1]?.snapshot_time ?? snapshot_time
    return !pinned.has(snapshot_id) && mayGo(millisOf(snapshot_time), millisOf(next)) ? [snapshot_id] : []
  })
}

/** The milliseconds of an instant as the databases return it. */
const millisOf = (at: string | Date): number =>
  at instanceof Date ? at.getTime() : Date.parse(`${at.slice(0, 23).replace(' ', 'T')}Z`)

/** The data files that the catalog does not name, and that are older than a writer takes until its commit. */
async function unnamedFiles({ catalog, storage }: Lake, cutoff: Micros): Promise<FilePath[]> {
  const unnamed: FilePath[] = []
  for (const table of Object.keys(stored)) {
    const { root } = lakeTable(table)
    const rows = await catalog.db
      .selectFrom('ducklake_data_file')
      .select('path')
      .where('table_id', '=', catalog.tableIds.get(table) ?? -1)
      .execute()
    const named = new Set(rows.map(({ path }) => `${root}/${path}`))
    for (const path of await storage.list(root)) {
      if (named.has(path) || ((await storage.modifiedAt(path)) ?? Infinity) >= cutoff) continue
      unnamed.push({ dataset: table, path: path.slice(root.length + 1) })
    }
  }
  return unnamed
}
