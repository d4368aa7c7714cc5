import { join } from 'node:path'

import { coverage, datasets, quarantine, type Dataset } from './datasets.ts'
import { literal } from './duckdb.ts'
import { byFolder, joinedPath, nameOf } from './files.ts'
import { holderIn, loadFolder } from './joined.ts'
import type { Storage } from './storage.ts'

/** A dataset's name and the select that reads it from the files that count now. */
export type LakeView = { name: string; doc: string; select: string }

const tables: Record<string, Dataset> = { ...datasets, quarantine, coverage }

/** The tables of schema `lake`. */
export const lakeTables: readonly string[] = Object.keys(tables)

/** What is kept of a table: its columns, and the prefix of its paths. */
export function lakeTable(name: string): { dataset: Dataset; root: string } {
  const dataset = tables[name]
  if (dataset === undefined) throw new Error(`the lake has no dataset ${name}; there are ${lakeTables.join(', ')}`)
  return { dataset, root: `lake/${name}/v${dataset.version}` }
}

/**
 * The view of one dataset. Files are named one by one, so that it never sees a file that was superseded. With a
 * folder for `pins` they are held there, so that it never sees one that was replaced either, nor misses one that was
 * deleted. DuckDB reads a unit's file of coverage in one go, and nothing that was joined is ever replaced, so that
 * coverage need not be held for a query. `begins` spares files: of units whose path, without dataset and extension,
 * begins with none of these.
 */
export const lakeView = (
  storage: Storage,
  table: string,
  pins?: string,
  begins?: readonly string[],
): Promise<LakeView> => viewOf(storage, table, table === coverage.name ? { begins } : { pins, begins })

/** The views of all datasets. With `pins` they last for as long as that folder does. */
export const lakeViews = (storage: Storage, pins?: string): Promise<LakeView[]> =>
  Promise.all(lakeTables.map((table) => viewOf(storage, table, { pins })))

async function viewOf(
  storage: Storage,
  table: string,
  { pins, begins = [''] }: { pins?: string | undefined; begins?: readonly string[] | undefined },
): Promise<LakeView> {
  const { dataset, root } = lakeTable(table)
  const files = await currentFiles(storage, root, begins)
  const held = pins === undefined ? located(storage, files) : await pinned(storage, files, join(pins, table))
  return { name: dataset.name, doc: dataset.doc, select: selectFrom(dataset, held) }
}

/** Files that count: those of units, and joined ones. */
export type Files = { units: string[]; joined: string[] }

/**
 * The paths of the files that count, from one listing. The manifests are read after it and name joined files that are
 * there, whether the listing shows them or not; a unit's file counts unless a manifest says that it was joined. Since
 * gc takes away what was superseded a day ago at the earliest, a unit that the listing shows is either still there or
 * in a joined file, and never in both.
 */
export async function currentFiles(storage: Storage, root: string, begins: readonly string[] = ['']): Promise<Files> {
  const isAsked = (path: string): boolean => {
    const unit = path.slice(root.length + 1)
    return begins.some((begin) => unit.startsWith(begin) || begin.startsWith(unit))
  }
  const parents = new Set(begins.map((begin) => begin.slice(0, Math.max(begin.lastIndexOf('/'), 0))))
  const listed = await Promise.all([...parents].map((parent) => storage.list(`${root}/${parent}`)))
  const paths = listed.length === 1 ? (listed[0] ?? []) : [...new Set(listed.flat())].sort()
  const folders = await Promise.all(
    [...byFolder(paths)].map(async ([folder, listing]): Promise<Files> => {
      const units = listing.units.filter((path) => isAsked(`${folder}/${nameOf(path)}`))
      if (listing.joined.length === 0) return { units, joined: [] }
      const state = await loadFolder(storage, folder, listing)
      const holder = await holderIn(storage, state, { sweptToo: false })
      const joined = state.joined.filter((entry) => isAsked(`${folder}/${'range' in entry ? entry.range : ''}`))
      return {
        units: units.filter((path) => holder(nameOf(path)) === undefined),
        joined: joined.map(({ file }) => joinedPath(folder, file)),
      }
    }),
  )
  return { units: folders.flatMap(({ units }) => units), joined: folders.flatMap(({ joined }) => joined) }
}

/** Files as DuckDB opens them. */
export const located = ({ locate }: Storage, { units, joined }: Files): Files => ({
  units: units.map(locate),
  joined: joined.map(locate),
})

/** A unit that was emptied meanwhile has no file any more; a joined file is there, or the lake is damaged. */
async function pinned(storage: Storage, files: Files, folder: string): Promise<Files> {
  const units = await storage.pin(files.units, folder)
  const joined = await storage.pin(files.joined, join(folder, 'joined'))
  if (joined.length !== files.joined.length) {
    throw new Error(`of ${files.joined.length} joined files ${joined.length} are there: ${files.joined.join(', ')}`)
  }
  return { units, joined }
}

/** The rows of local files. */
export function selectFrom(dataset: Dataset, { units, joined }: Files): string {
  // Units' files of coverage are NDJSON; whatever was joined is Parquet.
  const [parquet, ndjson] = dataset === coverage ? [joined, units] : [[...units, ...joined], []]
  const selects = [
    ...(ndjson.length === 0 ? [] : [`select ${columnsOf(dataset)} from ${rowsIn(dataset, ndjson)}`]),
    ...(parquet.length === 0 ? [] : [`select ${columnsOf(dataset)} from ${parquetRows(dataset, parquet)}`]),
  ]
  return selects.length === 0 ? noRows(dataset) : selects.join(' union all ')
}

/** The table function that reads units' files. */
export const rowsIn = (dataset: Dataset, files: readonly string[]): string =>
  dataset === coverage ? jsonRows(files) : parquetRows(dataset, files)

/**
 * The table function that reads a dataset's Parquet, whatever columns the files had when they were written. It is told
 * the columns: to find them out it would open every file whenever a statement names the view, which of a thousand takes
 * longer than to read what is asked for.
 */
export const parquetRows = ({ columns }: Dataset, files: readonly string[]): string => {
  const schema = [...Object.entries(columns).map(([name, { sql }]) => [name, sql]), ['joined_from', 'VARCHAR']].map(
    ([name = '', sql = '']) => `${literal(name)}: {name: ${literal(name)}, type: ${literal(sql)}, default_value: null}`,
  )
  return `read_parquet(${list(files)}, schema = map {${schema.join(', ')}}, hive_partitioning = false)`
}

const jsonRows = (files: readonly string[]): string => {
  const columns = Object.entries(coverage.columns).map(([name, { sql }]) => `${name}: '${sql}'`)
  return `read_json(${list(files)}, format = 'newline_delimited', columns = {${columns.join(', ')}})`
}

/** A dataset's columns with their types of today. */
export const columnsOf = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `"${name}"::${sql} as "${name}"`)
    .join(', ')

const list = (files: readonly string[]): string => `[${files.map(literal).join(', ')}]`

const noRows = ({ columns }: Dataset): string =>
  `select ${Object.entries(columns)
    .map(([name, { sql }]) => `null::${sql} as "${name}"`)
    .join(', ')} where false`
