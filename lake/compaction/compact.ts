import { sql } from 'kysely'

import { catalogTime } from '#lake/catalog/catalog.ts'
import { deletedRows } from '#lake/catalog/tables.ts'
import { quarantine } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot, sourcesAt } from '#lake/snapshot.ts'
import { stored } from '#lake/sql.ts'
import type { Micros } from '#time.ts'

import { mergesOf, type Candidate } from './choose.ts'
import { mergeFiles } from './merge.ts'

export type Compaction = {
  /** The machine's time. */
  now: Micros
  /** Younger files of single units are left alone. */
  minAge_s: number
  /** Ends it after the file that is being written. */
  signal?: AbortSignal
  onProgress?: (sofar: Compacted) => void
  /** Only reports the files to merge now, not later merges of the results. */
  dryRun?: boolean
  /** The most files to write in one call; 200 by default. */
  maxFiles?: number
}

export type Compacted = {
  /** The files written; of a dry run those to write. */
  merges: { dataset: string; source: string; n_files: number; n_rows: number }[]
  n_files_merged: number
  bytes_before: number
  bytes_after: number
  /** Merges without effect, since a unit of theirs was stored meanwhile. They are repeated later. */
  n_conflicts: number
  /** Whether nothing is left to merge now. */
  isFinished: boolean
}

/**
 * Merges small data files, and rewrites files with many deleted rows. Each merge is one transaction, so a reader sees
 * each row once at any moment. A process that is killed leaves at most a file that vacuum removes.
 */
export async function compactLake(lake: Lake, compaction: Compaction): Promise<Compacted> {
  const empty = { n_files_merged: 0, bytes_before: 0, bytes_after: 0, n_conflicts: 0, isFinished: false }
  const done: Compacted = { ...empty, merges: [] }
  for (const dataset of Object.keys(stored)) {
    for (const source of await sourcesAt(lake, dataset, await latestSnapshot(lake.catalog))) {
      if (!(await compactSource(lake, { dataset, source }, compaction, done))) return done
    }
  }
  return { ...done, isFinished: done.n_conflicts === 0 }
}

type Target = { dataset: string; source: string }

/** Merges until nothing of a source is left to merge; false if the run ends before. */
async function compactSource(lake: Lake, target: Target, compaction: Compaction, done: Compacted): Promise<boolean> {
  const { signal, onProgress, dryRun = false, maxFiles = 200 } = compaction
  const n_before = done.n_conflicts
  let merges = await mergesIn(lake, target, compaction)
  while (merges.length > 0) {
    for (const files of merges) {
      if (signal?.aborted === true || done.merges.length >= maxFiles) return false
      const merged = dryRun ? planned(files) : await mergeFiles(lake, { ...target, files })
      if (merged === undefined) {
        done.n_conflicts += 1
        continue
      }
      done.merges.push({ ...target, n_files: files.length, n_rows: merged.n_rows })
      done.n_files_merged += files.length
      done.bytes_before += sum(files.map(({ bytes }) => bytes))
      done.bytes_after += merged.bytes
      onProgress?.(done)
    }
    // The results of merges may be merged further, however young they are.
    if (dryRun || done.n_conflicts > n_before) return true
    merges = await mergesIn(lake, target, compaction)
  }
  return true
}

const planned = (files: readonly Candidate[]) => ({
  n_rows: sum(files.map(({ n_rows, n_deleted }) => n_rows - n_deleted)),
  bytes: 0,
})

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Whether dropped rows must leave their files soon: texts of people, and rejected rows, which may hold them. */
const mustVanish = (dataset: string): boolean =>
  dataset === quarantine.name || stored[dataset]?.retention_s !== undefined

async function mergesIn(
  { catalog }: Lake,
  { dataset, source }: Target,
  { now, minAge_s }: Compaction,
): Promise<Candidate[][]> {
  const table_id = catalog.tableIds.get(dataset) ?? -1
  const before = catalogTime(now - minAge_s * 1_000_000)
  const deleted = sql<number>`(select count(*) from ${sql.table(deletedRows(table_id))} x where x.file_id = f.data_file_id)`
  const files = await catalog.db
    .selectFrom('ducklake_data_file as f')
    .innerJoin('tapeline_files as t', 't.data_file_id', 'f.data_file_id')
    .select(['f.data_file_id', 'f.path', 't.first_unit', 'f.record_count as n_rows', 'f.file_size_bytes as bytes'])
    .select(deleted.as('n_deleted'))
    .where('f.table_id', '=', table_id)
    .where('t.source', '=', source)
    .where('f.end_snapshot', 'is', null)
    .where((eb) =>
      eb.or([
        eb('t.n_units', '>', 1),
        eb('f.begin_snapshot', '<=', (builder) =>
          builder
            .selectFrom('ducklake_snapshot')
            .select((up) => up.fn.coalesce(up.fn.max('snapshot_id'), up.lit(-1)).as('id'))
            .where('snapshot_time', '<=', before),
        ),
      ]),
    )
    .execute()
  return mergesOf(files, mustVanish(dataset) ? 0 : undefined)
}
