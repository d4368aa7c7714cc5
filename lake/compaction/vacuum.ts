import { sql } from 'kysely'

import { catalogTime, type Commit } from '#lake/catalog/catalog.ts'
import { chunks, deleteUnnamed, storedPath, type FilePath } from '#lake/catalog/data_files.ts'
import { deletedRows } from '#lake/catalog/tables.ts'
import type { Lake } from '#lake/lake.ts'
import { lakeTable, stored } from '#lake/sql.ts'
import type { Micros } from '#time.ts'

export type VacuumSettings = {
  /** The machine's time. */
  now: Micros
  /** For how long a replaced snapshot is kept: longer than any reader takes. A day is usual. */
  keep_ms: number
  /** Ends it between two steps. */
  signal?: AbortSignal
  /** Only reports the files to delete now. */
  dryRun?: boolean
}

export type Vacuumed = { deleted: string[]; n_snapshots: number }

/**
 * Forgets the snapshots that were replaced longer ago than they are kept, except pinned ones, and deletes the data files
 * that no kept snapshot names, with those of writers that died before their commit. It may be killed at any point: the
 * next call finds what is left by listing the files.
 */
export async function vacuum(lake: Lake, settings: VacuumSettings): Promise<Vacuumed> {
  const { catalog, storage } = lake
  const { now, keep_ms, signal, dryRun = false } = settings
  const cutoff = now - keep_ms * 1_000
  if (dryRun) return { deleted: (await unnamedFiles(lake, cutoff)).map(storedPath), n_snapshots: 0 }
  const n_snapshots = await catalog.commit((commit) => expireSnapshots(commit, cutoff, [...catalog.tableIds.values()]))
  const unnamed = await unnamedFiles(lake, cutoff)
  const deleted: string[] = []
  for (const files of chunks(unnamed, 100)) {
    if (signal?.aborted === true) break
    const isOld = async (file: FilePath): Promise<boolean> =>
      ((await storage.modifiedAt(storedPath(file))) ?? Infinity) < cutoff
    deleted.push(...(await deleteUnnamed(catalog, storage, files, isOld)).map(storedPath))
  }
  return { deleted, n_snapshots }
}

/** Removes all that concerns expired snapshots alone. Returns how many there were. */
async function expireSnapshots({ tx }: Commit, cutoff: Micros, tableIds: readonly number[]): Promise<number> {
  const first = await tx
    .selectFrom('ducklake_snapshot')
    .select((eb) => eb.fn.max('snapshot_id').as('id'))
    .where('snapshot_time', '<=', catalogTime(cutoff))
    .executeTakeFirst()
  // A reader may have begun with the snapshot that was current then.
  const kept = first?.id ?? 0
  const isPinned = sql<boolean>`exists (select 1 from tapeline_pins p where p.snapshot_id >= begin_snapshot and p.snapshot_id < end_snapshot)`
  const snapshots = await tx
    .deleteFrom('ducklake_snapshot')
    .where('snapshot_id', '<', kept)
    .where('snapshot_id', 'not in', (eb) => eb.selectFrom('tapeline_pins').select('snapshot_id'))
    .executeTakeFirst()
  await sql`delete from ducklake_snapshot_changes where snapshot_id not in (select snapshot_id from ducklake_snapshot)`.execute(
    tx,
  )
  await tx
    .deleteFrom('tapeline_coverage')
    .where('end_snapshot', '<=', kept)
    .where((eb) => eb.not(isPinned))
    .execute()
  const files = tx
    .deleteFrom('ducklake_data_file')
    .where('end_snapshot', '<=', kept)
    .where((eb) => eb.not(isPinned))
  const ids = (await files.returning('data_file_id').execute()).map(({ data_file_id }) => data_file_id)
  for (const part of chunks(ids)) {
    await tx.deleteFrom('ducklake_file_column_stats').where('data_file_id', 'in', part).execute()
    await tx.deleteFrom('tapeline_files').where('data_file_id', 'in', part).execute()
    for (const id of tableIds) await tx.deleteFrom(deletedRows(id)).where('file_id', 'in', part).execute()
  }
  return Number(snapshots.numDeletedRows)
}

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
