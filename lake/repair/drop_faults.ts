import type { Commit } from '#lake/catalog/catalog.ts'
import { chunks, endFiles, replaceCoverage } from '#lake/catalog/commit_units.ts'
import type { Lake } from '#lake/lake.ts'
import type { FileFault } from '#lake/verify.ts'
import type { Storage } from '#storage/storage.ts'

/**
 * Takes data files that are missing or changed out of the lake. Their units become missing in all datasets, so that the
 * next backfill or follow reads them again. A changed file is kept below `damaged/`. Returns the number of units.
 */
export async function dropFaults({ catalog, storage }: Lake, faults: readonly FileFault[]): Promise<number> {
  let n_units = 0
  for (const { path, problem, data_file_id } of faults) {
    n_units += await catalog.commit((commit) => dropFile(commit, data_file_id, `${path}: ${problem}`))
    if (problem === 'changed') await setAside(storage, path)
  }
  return n_units
}

/** Moves a damaged file away from the data files. */
export const setAside = (storage: Storage, path: string): Promise<boolean> => storage.move(path, `damaged/${path}`)

async function dropFile(commit: Commit, data_file_id: number, reason: string): Promise<number> {
  const { tx } = commit
  const places = await tx
    .deleteFrom('tapeline_rows')
    .where('data_file_id', '=', data_file_id)
    .returning('unit')
    .execute()
  await endFiles(commit, [data_file_id])
  for (const units of chunks(places.map(({ unit }) => unit))) {
    const entries = tx.selectFrom('tapeline_coverage').selectAll().where('unit', 'in', units)
    const coverage = (await entries.where('end_snapshot', 'is', null).execute()).map((entry) => ({
      ...entry,
      state: 'missing',
      n_rows: 0,
      n_read: null,
      n_rejected: null,
      digest: null,
      reason,
      reason_code: 'lost',
      gaps: null,
    }))
    await replaceCoverage(commit, units, coverage)
  }
  return places.length
}
