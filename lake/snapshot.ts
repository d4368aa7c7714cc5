import type { DuckDBConnection } from '@duckdb/node-api'
import { sql } from 'kysely'

import type { Storage } from '#storage/storage.ts'

import type { Catalog } from './catalog/catalog.ts'
import { after, coverageAt, type Selection } from './catalog/coverage_at.ts'
import { deletedRows } from './catalog/tables.ts'
import { coverage } from './datasets/index.ts'
import { lakeTable, rowsOf, selectFrom, type DataFile } from './sql.ts'
import { columnTypes } from './units/write_rows.ts'

/** The catalog of a lake, and the storage of its data files. */
export type LakeFiles = { catalog: Catalog; storage: Storage }

/** The number of the newest snapshot. */
export async function latestSnapshot({ db }: Catalog): Promise<number> {
  const row = await db
    .selectFrom('ducklake_snapshot')
    .select((eb) => eb.fn.max('snapshot_id').as('id'))
    .executeTakeFirstOrThrow()
  return row.id
}

/** Throws if the lake no longer keeps a snapshot, or never had it. */
export async function assertSnapshot({ db }: Catalog, snapshot: number): Promise<void> {
  const ids = db
    .selectFrom('ducklake_snapshot')
    .select(({ fn }) => [fn.min('snapshot_id').as('a'), fn.max('snapshot_id').as('b')])
  const { a, b } = await ids.executeTakeFirstOrThrow()
  const row = await db
    .selectFrom('ducklake_snapshot')
    .select('snapshot_id')
    .where('snapshot_id', '=', snapshot)
    .executeTakeFirst()
  if (row === undefined) throw new Error(`lake snapshot ${snapshot}: it is not kept; expected one from ${a} to ${b}`)
}

/**
 * Creates a table of schema `lake` as of a snapshot: coverage as a table, any other as a view that names its data
 * files. The files are kept for a day after they were replaced.
 */
export async function createLakeTable(
  connection: DuckDBConnection,
  lake: LakeFiles,
  table: string,
  { where, ...selection }: Selection & { where?: string },
): Promise<void> {
  if (table === coverage.name) {
    await connection.run(`create table lake.coverage (${columnTypes(coverage)})`)
    for await (const rows of coverageAt(lake.catalog, selection))
      await connection.run(`insert into lake.coverage ${rowsOf(coverage, '$rows')}`, { rows })
    return
  }
  const select = selectFrom(lakeTable(table).dataset, await filesAt(lake, table, selection))
  await connection.run(
    `create view lake.${table} as ${where === undefined ? select : `from (${select}) where ${where}`}`,
  )
}

/** The data files of a dataset as of a snapshot. */
const filesOf = ({ db, tableIds }: Catalog, table: string, snapshot: number) =>
  db
    .selectFrom('ducklake_data_file as f')
    .innerJoin('tapeline_files as t', 't.data_file_id', 'f.data_file_id')
    .where('f.table_id', '=', tableIds.get(table) ?? -1)
    .where('f.begin_snapshot', '<=', snapshot)
    .where((eb) => eb.or([eb('f.end_snapshot', 'is', null), eb('f.end_snapshot', '>', snapshot)]))

/** The sources that have files of a dataset as of a snapshot. */
export async function sourcesAt({ catalog }: LakeFiles, table: string, snapshot: number): Promise<string[]> {
  const rows = await filesOf(catalog, table, snapshot).select('t.source').distinct().orderBy('t.source').execute()
  return rows.map(({ source }) => source)
}

/**
 * The data files of a dataset as of a snapshot, with the ranges of their deleted rows. Files without rows are left out.
 */
async function filesAt(
  { catalog, storage }: LakeFiles,
  table: string,
  { snapshot, prefixes }: Selection,
): Promise<DataFile[]> {
  const id = catalog.tableIds.get(table)
  if (id === undefined)
    throw new Error(`lake.${table}: unknown dataset; expected one of ${[...catalog.tableIds.keys()].join(', ')}`)
  const rows = await filesOf(catalog, table, snapshot)
    .select(['f.data_file_id', 'f.path'])
    .where('f.record_count', '>', 0)
    .where((eb) =>
      prefixes === undefined
        ? eb.lit(true)
        : eb.or(
            prefixes.map((prefix) => eb.and([eb('t.last_unit', '>=', prefix), eb('t.first_unit', '<', after(prefix))])),
          ),
    )
    .orderBy('f.path')
    .execute()
  const { rows: deleted } = await sql<{ file_id: number; first: number; last: number }>`
    select file_id, min(row_id) as first, max(row_id) as last from (
      select file_id, row_id, row_id - row_number() over (partition by file_id order by row_id) as run
      from ${sql.table(deletedRows(id))} where begin_snapshot <= ${snapshot}
    ) ranges group by file_id, run order by 1, 2`.execute(catalog.db)
  const byFile = new Map<number, typeof deleted>()
  for (const range of deleted) byFile.set(range.file_id, [...(byFile.get(range.file_id) ?? []), range])
  const paths = rows.map(({ path }) => `${lakeTable(table).root}/${path}`)
  const names = await localFiles({ storage }, paths)
  return rows.map(({ data_file_id }, n) => ({
    name: names[n] ?? '',
    deleted: byFile.get(data_file_id) ?? [],
  }))
}

/** The local files of some paths, in their order. */
export const localFiles = ({ storage }: Pick<LakeFiles, 'storage'>, paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map((path) => storage.localFile(path)))

/** Keeps a snapshot of the lake, with its files, until it is unpinned. The name identifies the user of the snapshot. */
export async function pinSnapshot({ catalog }: LakeFiles, name: string, snapshot: number): Promise<void> {
  await catalog.db
    .insertInto('tapeline_pins')
    .values({ name, snapshot_id: snapshot })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ snapshot_id: snapshot }))
    .execute()
}

/** Releases a snapshot. Vacuum removes its files when no other snapshot needs them. */
export async function unpinSnapshot({ catalog }: LakeFiles, name: string): Promise<void> {
  await catalog.db.deleteFrom('tapeline_pins').where('name', '=', name).execute()
}
