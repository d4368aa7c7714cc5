import { sql, type Transaction } from 'kysely'

import { lakeTable } from '#lake/sql.ts'
import type { ColumnStats } from '#lake/units/write_parquet.ts'
import type { Storage } from '#storage/folder.ts'

import type { Catalog, Commit } from './catalog.ts'
import { deletedRows, type CatalogTables } from './tables.ts'

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
  const known = { data_file_id, digest, source, first_unit, last_unit, n_units: units.length }
  await tx.insertInto('tapeline_files').values(known).execute()
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
