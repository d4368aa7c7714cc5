import { sql, type Transaction } from 'kysely'

import { lakeTable } from '#lake/sql.ts'
import type { ColumnStats } from '#lake/units/write_parquet.ts'
import type { Storage } from '#storage/storage.ts'

import type { Catalog, Commit } from './catalog.ts'
import { deletedRows, type CatalogTables, type CoverageRow } from './tables.ts'

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
      ({ dataset, digest, units: [fileUnit] }) =>
        dataset === place.dataset && fileUnit?.unit === place.unit && digest === place.digest,
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

/** A stored data file that the catalog does not know yet. */
export type NewFile = {
  dataset: string
  /** The path below the folder of the dataset's table. */
  path: string
  digest: string
  n_rows: number
  bytes: number
  footer_bytes: number
  stats: readonly ColumnStats[]
  source: string
  /** The units whose rows the file holds, in the order of the file. Rows of a superseded unit are deleted. */
  units: readonly { unit: string; n_rows: number; isSuperseded?: boolean }[]
}

/** Ends data files. */
export async function endFiles({ tx, snapshot, changed }: Commit, ids: readonly number[]): Promise<void> {
  for (const part of chunks(ids)) {
    const files = tx.updateTable('ducklake_data_file').set({ end_snapshot: snapshot }).where('data_file_id', 'in', part)
    const ended = await files
      .where('end_snapshot', 'is', null)
      .returning(['table_id', 'record_count', 'file_size_bytes'])
      .execute()
    for (const { table_id, record_count, file_size_bytes } of ended) {
      await addToStats(tx, table_id, { n_rows: -record_count, bytes: -file_size_bytes })
      changed(`deleted_from_table:${table_id}`)
    }
  }
}

const addToStats = (
  tx: Transaction<CatalogTables>,
  table_id: number,
  { n_rows, bytes }: { n_rows: number; bytes: number },
): Promise<{ next_row_id: number }> =>
  tx
    .updateTable('ducklake_table_stats')
    .set((eb) => ({
      record_count: eb('record_count', '+', n_rows),
      next_row_id: eb('next_row_id', '+', Math.max(n_rows, 0)),
      file_size_bytes: eb('file_size_bytes', '+', bytes),
    }))
    .where('table_id', '=', table_id)
    .returning('next_row_id')
    .executeTakeFirstOrThrow()

/** Adds a data file, and places the rows of its units in it. */
export async function addFile(
  { tableIds, ...catalog }: Catalog,
  { tx, snapshot, newFileId, changed }: Commit,
  { dataset, path, digest, n_rows, bytes, footer_bytes, stats, source, units }: NewFile,
): Promise<void> {
  const table_id = tableIds.get(dataset)
  if (table_id === undefined)
    throw new Error(`${dataset}: unknown dataset; expected one of ${[...tableIds.keys()].join(', ')}`)
  const data_file_id = newFileId()
  const table = await addToStats(tx, table_id, { n_rows, bytes })
  const file = { data_file_id, table_id, begin_snapshot: snapshot, end_snapshot: null, path, file_format: 'parquet' }
  const size = { record_count: n_rows, file_size_bytes: bytes, footer_size: footer_bytes }
  const row = { ...file, ...size, path_is_relative: catalog.flag(true), row_id_start: table.next_row_id - n_rows }
  await tx.insertInto('ducklake_data_file').values(row).execute()
  if (stats.length > 0) {
    const values = stats.map((each) => ({ ...each, data_file_id, table_id }))
    await tx.insertInto('ducklake_file_column_stats').values(values).execute()
  }
  const names = units.map(({ unit }) => unit)
  const [first_unit = '', last_unit = ''] = [names[0], names.at(-1)]
  const unitsRow = { data_file_id, digest, source, first_unit, last_unit, n_units: units.length }
  await tx.insertInto('tapeline_files').values(unitsRow).execute()
  let first_row = 0
  const places = units.map(({ n_rows: n, ...unit }) => {
    first_row += n
    return { ...unit, table_id, data_file_id, first_row: first_row - n, n_rows: n }
  })
  const rows = places.filter(({ isSuperseded }) => isSuperseded !== true).map(({ isSuperseded: _, ...place }) => place)
  for (const part of chunks(rows)) await tx.insertInto('tapeline_rows').values(part).execute()
  for (const place of places) if (place.isSuperseded === true) await deleteRows({ tx, snapshot }, place)
  changed(`inserted_into_table:${table_id}`)
}

/** Marks rows of a data file as deleted. */
export async function deleteRows(
  { tx, snapshot }: Pick<Commit, 'tx' | 'snapshot'>,
  {
    table_id,
    data_file_id,
    first_row,
    n_rows,
  }: { table_id: number; data_file_id: number; first_row: number; n_rows: number },
): Promise<void> {
  if (n_rows === 0) return
  const deleted = sql.table(deletedRows(table_id))
  const last = first_row + n_rows - 1
  await sql`insert into ${deleted} (file_id, row_id, begin_snapshot)
    with recursive n(i) as (select cast(${first_row} as bigint) union all select i + 1 from n where i < ${last})
    select cast(${data_file_id} as bigint), i, cast(${snapshot} as bigint) from n`.execute(tx)
}

/** Databases limit the parameters of a statement. */
export function chunks<T>(rows: readonly T[], n = 500): T[][] {
  return Array.from({ length: Math.ceil(rows.length / n) }, (_, i) => rows.slice(i * n, (i + 1) * n))
}

/** A data file by its dataset and its path below the folder of the dataset. */
export type FilePath = Pick<NewFile, 'dataset' | 'path'>

/** Whether the catalog names a file, now or in a former snapshot that is kept. */
export async function isNamed({ tableIds }: Catalog, { tx }: Pick<Commit, 'tx'>, file: FilePath): Promise<boolean> {
  const files = tx.selectFrom('ducklake_data_file').select('data_file_id').where('path', '=', file.path)
  return (await files.where('table_id', '=', tableIds.get(file.dataset) ?? -1).executeTakeFirst()) !== undefined
}

/**
 * Deletes those of some files that the catalog does not name, and returns them. The name of a file follows from its
 * rows, so another writer may have committed the same file. No commit names one while it is deleted; a writer that
 * stored one before looks for it after its commit.
 */
export const deleteUnnamed = <F extends FilePath>(
  catalog: Catalog,
  { delete: remove }: Pick<Storage, 'delete'>,
  files: readonly F[],
  isWanted: (file: F) => Promise<boolean> = async () => true,
): Promise<F[]> =>
  catalog.commit(async (commit) => {
    const deleted: F[] = []
    for (const file of files) {
      if ((await isNamed(catalog, commit, file)) || !(await isWanted(file))) continue
      await remove(storedPath(file))
      deleted.push(file)
    }
    return deleted
  })

/** The path of a data file in the storage. */
export const storedPath = ({ dataset, path }: FilePath): string => `${lakeTable(dataset).root}/${path}`
