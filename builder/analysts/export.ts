import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { signature } from '#builder/model.ts'
import { datasets } from '#lake/datasets/index.ts'
import { literal, openDuckDB, type DuckDBLimits } from '#storage/duckdb.ts'
import type { Folder } from '#storage/folder.ts'

import { columnsOf, commentColumns, type Column } from './comments.ts'
import { analystsFile } from './copy.ts'

/** The contents of an exported file. `as_of`: the instant of its scores, in ISO 8601. */
export type Exported = { n_tables: number; n_macros: number; bytes: number; as_of: string }

type ExportOptions = { force: boolean } & Omit<DuckDBLimits, 'scratch'>

/** The oldest DuckDB that opens an exported file. */
const storageVersion = 'v1.0.0'

/**
 * Writes the analysts' file as one file that needs no other: its tables, its views as tables, and its macros, with
 * their comments. The tables of schema `lake` are left out, except coverage and the tables that a macro reads:
 * `staging` has their rows, and texts have a retention that ends in the lake alone. DuckDB 1.0 has no BIGNUM; such
 * columns hold the digits as text. Macros that calculate with them, or that show texts, are left out. The file appears
 * when it is complete. Throws if the target exists and `force` is false.
 */
export async function exportAnalystsFile(
  folder: Folder,
  target: string,
  { force, ...limits }: ExportOptions,
): Promise<Exported> {
  const source = folder.locate(analystsFile)
  await assertTarget(target, { source, force })
  if ((await sizeOf(source)) === undefined)
    throw new Error(`${source}: missing; expected the analysts' file of a publication, such as of \`tapeline score\``)
  const part = `${target}.${process.pid}.part`
  try {
    const counts = await write(source, part, limits)
    if (!force) await reserve(target)
    // The log goes first: a new file beside an old log could not be opened.
    await rm(`${target}.wal`, { force: true })
    await rename(part, target)
    return { ...counts, bytes: (await sizeOf(target)) ?? 0 }
  } finally {
    for (const left of [part, `${part}.wal`, `${part}.scratch`]) await rm(left, { recursive: true, force: true })
  }
}

async function assertTarget(target: string, { source, force }: { source: string; force: boolean }): Promise<void> {
  const folder = await stat(dirname(resolve(target))).catch(() => undefined)
  if (folder?.isDirectory() !== true) throw new Error(`${target}: no such folder; expected a file in an existing one`)
  const targetStat = await stat(target).catch(() => undefined)
  if (targetStat === undefined) return
  if (!targetStat.isFile()) throw new Error(`${target}: not a file; expected the path of a file`)
  const sourceStat = await stat(source).catch(() => undefined)
  if (targetStat.ino === sourceStat?.ino && targetStat.dev === sourceStat.dev)
    throw new Error(`${target}: the analysts' file itself; expected the path of another file`)
  if (!force) throw fileExists(target)
}

/** Takes the name with an empty file. Throws if another export took it meanwhile. */
async function reserve(target: string): Promise<void> {
  await writeFile(target, '', { flag: 'wx' }).catch((error: unknown) => {
    throw error instanceof Error && 'code' in error && error.code === 'EEXIST' ? fileExists(target) : error
  })
}

const fileExists = (target: string): Error =>
  new Error(`${target}: the file exists; expected a new file, or --force to replace it`)

const sizeOf = async (file: string): Promise<number | undefined> => (await stat(file).catch(() => undefined))?.size

async function write(
  source: string,
  part: string,
  limits: Omit<DuckDBLimits, 'scratch'>,
): Promise<Omit<Exported, 'bytes'>> {
  const instance = await openDuckDB({ ...limits, scratch: `${part}.scratch` })
  const connection = await instance.connect()
  try {
    // An open copy keeps the files of its views, whatever is published meanwhile.
    await connection.run(`attach ${literal(source)} as copy (read_only)`)
    await connection.run(`attach ${literal(part)} as target (storage_version ${literal(storageVersion)})`)
    // Rows stay in key order, which compresses them and lets a reader skip most of a table.
    await connection.run('set preserve_insertion_order = true; use copy')
    const macros = await macrosOf(connection)
    const tables = (await tablesOf(connection)).filter((table) => isExported(table, macros))
    for (const schema of new Set([...tables, ...macros].map((entry) => entry.schema)))
      await connection.run(`create schema target.${schema}`)
    const columns = await columnsOf(connection, 'copy')
    for (const table of tables) await addTable(connection, table, columns.filter(isIn(table)))
    const reader = await connection.runAndReadAll('select as_of::varchar from core.clock')
    await connection.run('use target')
    await commentColumns(
      connection,
      columns.filter((column) => tables.some((table) => isIn(table)(column))),
    )
    for (const macro of macros) await addMacro(connection, macro)
    await connection.run('use memory; checkpoint target; detach target; detach copy')
    const as_of = `${String(reader.getRows()[0]?.[0]).replace(' ', 'T')}Z`
    return { n_tables: tables.length, n_macros: macros.length, as_of }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

type Table = { schema: string; name: string; comment: string | null }
type Macro = Table & { parameters: [string, ...string[]]; sql: string }

async function tablesOf(connection: DuckDBConnection): Promise<Table[]> {
  const selectOf = (kind: string): string =>
    `select schema_name as schema, ${kind}_name as name, comment from duckdb_${kind}s() where database_name = 'copy' and not internal`
  const reader = await connection.runAndReadAll(`${selectOf('table')} union all ${selectOf('view')} order by all`)
  return reader.getRowObjectsJson() as Table[]
}

/**
 * The macros as the copy has them, since the copy may be older than this program. A macro that calculates with BIGNUM
 * is left out, since the exported columns are text; so is one that reads a table with a retention, which a file cannot
 * keep.
 */
async function macrosOf(connection: DuckDBConnection): Promise<Macro[]> {
  const reader = await connection.runAndReadAll(
    `select schema_name as schema, function_name as name, comment, parameters, macro_definition as sql
     from duckdb_functions() where database_name = 'copy' and function_type = 'table_macro' and not internal
       and macro_definition not ilike '%bignum%'
     order by all`,
  )
  const kept = Object.values(datasets).flatMap(({ name, retention_s }) => (retention_s === undefined ? [] : [name]))
  return (reader.getRowObjectsJson() as Macro[]).filter(({ sql }) => !kept.some((name) => reads(sql, name)))
}

const reads = (sql: string, table: string): boolean => new RegExp(`\\blake\\.${table}\\b`).test(sql)

const isExported = ({ schema, name }: Table, macros: readonly Macro[]): boolean =>
  schema !== 'lake' || name === 'coverage' || macros.some(({ sql }) => reads(sql, name))

const isIn =
  ({ schema, name }: Table) =>
  (column: Column): boolean =>
    column.schema === schema && column.table === name

async function addTable(
  connection: DuckDBConnection,
  { schema, name, comment }: Table,
  columns: readonly Column[],
): Promise<void> {
  const table = `target.${schema}."${name}"`
  const wide = columns
    .filter(({ type }) => type === 'BIGNUM')
    .map((column) => `"${column.name}"::varchar as "${column.name}"`)
  const replaced = wide.length === 0 ? '' : `replace (${wide.join(', ')})`
  await connection.run(`create table ${table} as select * ${replaced} from copy.${schema}."${name}"`)
  if (comment !== null) await connection.run(`comment on table ${table} is ${literal(comment)}`)
}

async function addMacro(
  connection: DuckDBConnection,
  { schema, name, comment, parameters: [parameter, ...options], sql }: Macro,
): Promise<void> {
  await connection.run(`create macro ${schema}.${name}(${signature(parameter, options)}) as table ${sql}`)
  if (comment !== null) await connection.run(`comment on macro table ${schema}.${name} is ${literal(comment)}`)
}
