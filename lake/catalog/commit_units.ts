import type { Transaction } from 'kysely'

import type { Catalog, Commit } from './catalog.ts'
import { addFile, chunks, deleteRows, endFiles, isNamed, type NewFile } from './data_files.ts'
import type { CatalogTables, CoverageRow } from './tables.ts'

/** The new contents of some units. Without `files` the rows of the units stay as they are. */
export type UnitCommit = {
  units: readonly string[]
  files?: readonly NewFile[]
  coverage: readonly CoverageRow[]
  /** Work of the same transaction; it throws to refuse the commit. */
  inCommit?: ((commit: Commit) => Promise<void>) | undefined
}

/**
 * Replaces the rows and the coverage of units in one transaction. Returns the files that are not needed, since the same
 * rows are stored already.
 */
export const commitUnits = (catalog: Catalog, { units, files, coverage, inCommit }: UnitCommit): Promise<NewFile[]> =>
  catalog.commit(async (commit) => {
    await inCommit?.(commit)
    const spare: NewFile[] = []
    if (files !== undefined) {
      const kept = await endRows(commit, { units, files })
      for (const file of files) {
        if (!kept.has(file)) await addFile(catalog, commit, file)
        else if (!(await isNamed(catalog, commit, file))) spare.push(file)
      }
    }
    await replaceCoverage(commit, units, coverage)
    return spare
  })

/** The place of the rows of a unit in a data file, with their digest. */
type Place = {
  unit: string
  dataset: string
  table_id: number
  data_file_id: number
  first_row: number
  n_rows: number
  n_units: number
  digest: string | null
}

/**
 * Ends the rows of units, in some datasets or all, that `files` do not hold again. Returns the files whose rows are
 * stored already.
 */
export async function endRows(
  commit: Commit,
  { units, files, datasets }: { units: readonly string[]; files: readonly NewFile[]; datasets?: readonly string[] },
): Promise<Set<NewFile>> {
  const kept = new Set<NewFile>()
  for (const place of await placesOf(commit.tx, units)) {
    if (datasets?.includes(place.dataset) === false) continue
    const same = files.find(
      ({ dataset, digest, units: [own] }) =>
        dataset === place.dataset && own?.unit === place.unit && digest === place.digest,
    )
    if (same === undefined) await endPlace(commit, place)
    else kept.add(same)
  }
  return kept
}

/** The digest of a unit's rows in a compacted file is that of its own former file, which coverage keeps. */
const placesOf = (tx: Transaction<CatalogTables>, units: readonly string[]): Promise<Place[]> =>
  tx
    .selectFrom('tapeline_rows as r')
    .innerJoin('ducklake_data_file as f', 'f.data_file_id', 'r.data_file_id')
    .innerJoin('tapeline_files as t', 't.data_file_id', 'r.data_file_id')
    .innerJoin('ducklake_table as d', 'd.table_id', 'r.table_id')
    .leftJoin('tapeline_coverage as c', (join) =>
      join.onRef('c.unit', '=', 'r.unit').onRef('c.dataset', '=', 'd.table_name').on('c.end_snapshot', 'is', null),
    )
    .select([
      'r.unit',
      'd.table_name as dataset',
      'r.table_id',
      'r.data_file_id',
      'r.first_row',
      'r.n_rows',
      't.n_units',
    ])
    .select((eb) =>
      eb.case().when('t.n_units', '=', 1).then(eb.ref('t.digest')).else(eb.ref('c.digest')).end().as('digest'),
    )
    .where('r.unit', 'in', [...units])
    .execute()

async function endPlace(commit: Commit, place: Place): Promise<void> {
  const { tx, changed } = commit
  const { unit, table_id, data_file_id, n_units } = place
  await tx.deleteFrom('tapeline_rows').where('unit', '=', unit).where('table_id', '=', table_id).execute()
  if (n_units === 1) await endFiles(commit, [data_file_id])
  else await deleteRows(commit, place)
  changed(`deleted_from_table:${table_id}`)
}

/** Replaces the coverage of units. */
export async function replaceCoverage(
  { tx, snapshot, changed }: Commit,
  units: readonly string[],
  coverage: readonly CoverageRow[],
): Promise<void> {
  await tx
    .updateTable('tapeline_coverage')
    .set({ end_snapshot: snapshot })
    .where('unit', 'in', [...units])
    .where('end_snapshot', 'is', null)
    .execute()
  for (const part of chunks(coverage)) {
    const values = part.map((row) => ({ ...row, begin_snapshot: snapshot, end_snapshot: null }))
    await tx.insertInto('tapeline_coverage').values(values).execute()
  }
  changed('coverage')
}
