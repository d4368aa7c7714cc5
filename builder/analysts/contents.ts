import type { DuckDBConnection } from '@duckdb/node-api'

import { buildDoc } from '#builder/build_meta.ts'
import { clockDoc, createRegistryTables, registryTables } from '#builder/builtin_tables.ts'
import { castSelect, derivedPath, derivedSelect } from '#builder/materialize.ts'
import { isMart, signature, type Macro, type Model, type SqlModel } from '#builder/model.ts'
import { coverage } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { createLakeTable } from '#lake/snapshot.ts'
import { lakeTable, lakeTables } from '#lake/sql.ts'
import { materializing, publications, type PublicationName } from '#snapshots/publications.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'

import { columnsOf, commentColumns, docOf, meaningsIn, type ColumnDocs } from './comments.ts'

/** The contents of the copy: the built tables, the macros over them, and the meaning of the columns. */
export type Contents = { models: readonly Model[]; macros: readonly Macro[]; columns: ColumnDocs }

/** Adds the views, the marts of the other publications, the macros and all comments to a copy of the snapshot. */
export async function addContents(
  lake: Lake,
  file: string,
  { models, macros, columns, derived, lakeSnapshot }: Contents & { derived: string; lakeSnapshot: number },
): Promise<void> {
  const instance = await openDuckDB({ threads: 1, memory: '1GB', scratch: `${file}.scratch` })
  const connection = await instance.connect()
  try {
    await connection.run(`attach ${literal(file)} as copy; use copy`)
    await connection.run('create schema lake; create schema staging; create schema core; create schema metrics')
    for (const table of lakeTables) {
      await createLakeTable(connection, lake, table, { snapshot: lakeSnapshot })
      const kind = table === coverage.name ? 'table' : 'view'
      await connection.run(`comment on ${kind} lake.${table} is ${literal(lakeTable(table).dataset.doc)}`)
    }
    await connection.run(
      `create view core.clock as select any_value(as_of) as as_of from meta.build where publication = '${materializing()}'`,
    )
    await createRegistryTables(connection)
    await connection.run(
      `comment on view core.clock is ${literal(clockDoc)}; comment on table meta.build is ${literal(buildDoc)}`,
    )
    for (const [table, { doc }] of Object.entries(registryTables))
      await connection.run(`comment on table ${table} is ${literal(doc)}`)
    for (const { name, materializes } of publications) if (!materializes) await addMarts(connection, lake, name)
    const marts = await martsIn(connection, 'copy')
    const isThere = (model: Model): boolean => !isMart(model) || marts.includes(model.name)
    for (const model of inOrder(models.filter(isThere))) await describe(connection, { lake, derived, models }, model)
    const meanings = meaningsIn(columns, models)
    const commented = (await columnsOf(connection, 'copy')).map((column) => ({
      ...column,
      comment: docOf(meanings, column.table, column.name) ?? null,
    }))
    await commentColumns(connection, commented)
    for (const macro of macros) await addMacro(connection, macro)
    await connection.run('use memory; checkpoint copy; detach copy')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Copies the marts of a publication's current snapshot and their metadata, if there is one. */
async function addMarts(connection: DuckDBConnection, { local }: Lake, publication: PublicationName): Promise<void> {
  const id = await currentSnapshot(local, publication)
  if (id === undefined) return
  await connection.run(`attach ${literal(local.locate(snapshotPath(id)))} as other (read_only)`)
  for (const name of await martsIn(connection, 'other')) {
    await connection.run(`create table marts."${name}" as from other.marts."${name}"`)
  }
  await connection.run('insert into meta.build by name from other.meta.build; detach other')
}

/** The marts of an attached snapshot. The snapshot may be of another version than the models that describe it. */
async function martsIn(connection: DuckDBConnection, catalog: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(
    'select table_name from duckdb_tables() where database_name = $catalog and schema_name = $schema',
    { catalog, schema: 'marts' },
  )
  return reader.getRows().map(([name]) => String(name))
}

/** Tables of numbers first, since other views get their names; then stored tables, which the other views read. */
const inOrder = (models: readonly Model[]): SqlModel[] => {
  const place = ({ numbers, isStored }: SqlModel): number => (numbers !== null ? 0 : isStored ? 1 : 2)
  return models.filter((model) => model.kind === 'sql').toSorted((a, b) => place(a) - place(b))
}

/**
 * A derived table as a view over its file or, if it is not stored, over its select; a mart as the table that it is.
 * Each has the words of its header.
 */
async function describe(
  connection: DuckDBConnection,
  { lake, derived, models }: { lake: Lake; derived: string; models: readonly Model[] },
  model: SqlModel,
): Promise<void> {
  const table = `${model.layer}.${model.name}`
  if (model.layer !== 'marts') {
    const rows = model.isStored
      ? derivedSelect(model, lake.local.locate(derivedPath(derived, model)))
      : castSelect(model)
    await connection.run(`create view ${table} as ${withNames(model, rows, models)}`)
  }
  await connection.run(`comment on ${model.layer === 'marts' ? 'table' : 'view'} ${table} is ${literal(model.doc)}`)
}

/** The rows of a table with the names of its numbers in front: builds join numbers, analysts ask by names. */
function withNames({ columns }: SqlModel, rows: string, models: readonly Model[]): string {
  const has = (name: string): boolean => columns.some((column) => column.name === name)
  const joins = models.flatMap((model) => {
    if (model.kind !== 'sql' || model.numbers === null) return []
    const { number, name } = model.numbers
    return has(number) && !has(name) ? [{ number, name, table: `${model.layer}.${model.name}` }] : []
  })
  if (joins.length === 0) return rows
  const names = joins.map(({ name, table }) => `${table}.${name}`)
  const joined = joins.map(({ number, table }) => `left join ${table} on ${table}.${number} = r.${number}`)
  return `select ${names.join(', ')}, r.* from (${rows}) r ${joined.join(' ')}`
}

/** A macro reads the tables of the copy by schema and name: of the database that a client uses. */
async function addMacro(connection: DuckDBConnection, { name, parameter, options, doc, sql }: Macro): Promise<void> {
  await connection.run(`create macro core.${name}(${signature(parameter, options)}) as table ${sql}`)
  await connection.run(`comment on macro table core.${name} is ${literal(doc)}`)
}
