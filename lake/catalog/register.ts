import { randomUUID } from 'node:crypto'

import { sql, type Transaction } from 'kysely'

import { fieldId, fileType } from '#lake/columns.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import { NewerLake } from '#lake/format.ts'
import { stored as datasets } from '#lake/sql.ts'

import { deletedRows, type CatalogTables } from './tables.ts'

/** DuckLake's own schema has the id 0, the schema `lake` the id 1. */
export const firstTableId = 2

type Registration = { snapshot: number; flag: (value: boolean) => number | boolean }

/**
 * Adds the datasets and columns that the catalog does not know; false if it knows all. Throws if it has some that this
 * version does not know: compaction would drop their values.
 */
export async function registerDatasets(
  tx: Transaction<CatalogTables>,
  { snapshot, flag }: Registration,
): Promise<boolean> {
  let isChanged = false
  const shared = { begin_snapshot: snapshot, end_snapshot: null, path_is_relative: flag(true) }
  const schemas = await tx.selectFrom('ducklake_schema').select('schema_name').execute()
  for (const [schema_id, schema_name] of ['main', 'lake'].entries()) {
    if (schemas.some((schema) => schema.schema_name === schema_name)) continue
    const row = { ...shared, schema_id, schema_uuid: randomUUID(), schema_name, path: `${schema_name}/` }
    await tx.insertInto('ducklake_schema').values(row).execute()
  }
  const tables = await tx.selectFrom('ducklake_table').selectAll().execute()
  const newer = tables.find(({ table_name }) => !Object.hasOwn(datasets, table_name))
  if (newer !== undefined) throw new NewerLake('lake', `it has the dataset ${newer.table_name}`)
  let nextId = Math.max(firstTableId - 1, ...tables.map(({ table_id }) => table_id)) + 1
  for (const dataset of Object.values(datasets)) {
    const { name, version } = dataset
    const table_id = tables.find(({ table_name }) => table_name === name)?.table_id ?? nextId++
    if (!tables.some((table) => table.table_id === table_id)) {
      const table = { ...shared, table_id, table_uuid: randomUUID(), schema_id: 1, table_name: name }
      await tx
        .insertInto('ducklake_table')
        .values({ ...table, path: `${name}/v${version}/` })
        .execute()
      const stats = { table_id, record_count: 0, next_row_id: 0, file_size_bytes: 0 }
      await tx.insertInto('ducklake_table_stats').values(stats).execute()
      await tx
        .insertInto('ducklake_schema_versions')
        .values({ begin_snapshot: snapshot, schema_version: 0, table_id })
        .execute()
      await sql`create table if not exists ${sql.table(deletedRows(table_id))}
        (file_id bigint, row_id bigint, begin_snapshot bigint, primary key (file_id, row_id))`.execute(tx)
    }
    const shape = { table_id, begin_snapshot: snapshot, end_snapshot: null, nulls_allowed: flag(true) }
    if (await registerColumns(tx, dataset, shape)) isChanged = true
  }
  return isChanged
}

type Shape = Pick<CatalogTables['ducklake_column'], 'table_id' | 'begin_snapshot' | 'end_snapshot' | 'nulls_allowed'>

async function registerColumns(tx: Transaction<CatalogTables>, dataset: Dataset, shape: Shape): Promise<boolean> {
  const { table_id } = shape
  const stored = await tx.selectFrom('ducklake_column').selectAll().where('table_id', '=', table_id).execute()
  const rows = Object.entries(dataset.columns).flatMap(([column, { sql: type }], order) =>
    columnRows(column, fileType(type), order),
  )
  const unknown = stored.find(({ column_id }) => !rows.some((row) => row.column_id === column_id))
  if (unknown !== undefined) throw new NewerLake(`lake.${dataset.name}`, `it has the column ${unknown.column_name}`)
  for (const { column_id, column_order } of rows) {
    // A column that was added between others takes the place of one that was stored before.
    if (
      !stored.some((storedColumn) => storedColumn.column_id === column_id && storedColumn.column_order !== column_order)
    )
      continue
    const column = tx.updateTable('ducklake_column').where('table_id', '=', table_id)
    await column.where('column_id', '=', column_id).set({ column_order }).execute()
  }
  const fresh = rows.filter((row) => !stored.some(({ column_id }) => column_id === row.column_id))
  if (fresh.length === 0) return false
  await tx
    .insertInto('ducklake_column')
    .values(fresh.map((row) => ({ ...row, ...shape })))
    .execute()
  return true
}

const typeNames: Record<string, string> = {
  BIGINT: 'int64',
  INTEGER: 'int32',
  SMALLINT: 'int16',
  UTINYINT: 'uint8',
  UBIGINT: 'uint64',
  DOUBLE: 'float64',
}

/** A column as DuckLake describes it; a list has a second row for its elements. */
function columnRows(column: string, type: string, order: number) {
  const shared = { column_order: order + 1, default_value: 'NULL', default_value_dialect: 'duckdb' }
  const nameOf = (sqlType: string): string => typeNames[sqlType] ?? sqlType.toLowerCase()
  const row = { ...shared, column_id: fieldId(column), column_name: column, parent_column: null }
  if (!type.endsWith('[]')) return [{ ...row, column_type: nameOf(type), default_value_type: 'literal' }]
  const element = {
    ...shared,
    column_id: fieldId(`${column}.element`),
    column_name: 'element',
    column_type: nameOf(type.slice(0, -2)),
    default_value_type: 'literal',
    parent_column: row.column_id,
  }
  return [{ ...row, column_type: 'list', default_value_type: '' }, element]
}
