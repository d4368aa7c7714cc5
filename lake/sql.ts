import { literal } from '#storage/duckdb.ts'

import { coverage, datasets, quarantine, type Dataset } from './datasets/index.ts'

const tables: Record<string, Dataset> = { ...datasets, quarantine, coverage }

/** The tables of schema `lake`. */
export const lakeTables: readonly string[] = Object.keys(tables)

/** A table: its columns, and the prefix of its paths. */
export function lakeTable(name: string): { dataset: Dataset; root: string } {
  const dataset = tables[name]
  if (dataset === undefined) throw new Error(`lake.${name}: unknown dataset; expected one of ${lakeTables.join(', ')}`)
  return { dataset, root: `lake/${name}/v${dataset.version}` }
}

/** The current files: those of units, and compacted ones. */
export type Files = { units: string[]; joined: string[] }

/** The rows of local files. */
export function selectFrom(dataset: Dataset, { units, joined }: Files): string {
  // Coverage files of units are NDJSON; compacted files are Parquet.
  const [parquet, ndjson] = dataset === coverage ? [joined, units] : [[...units, ...joined], []]
  const selects = [
    ...(ndjson.length === 0 ? [] : [`select ${columnsOf(dataset)} from ${rowsIn(dataset, ndjson)}`]),
    ...(parquet.length === 0 ? [] : [`select ${columnsOf(dataset)} from ${parquetRows(dataset, parquet)}`]),
  ]
  return selects.length === 0 ? noRows(dataset) : selects.join(' union all ')
}

/** The table function that reads the files of units. */
export const rowsIn = (dataset: Dataset, files: readonly string[]): string =>
  dataset === coverage ? jsonRows(files) : parquetRows(dataset, files)

/**
 * The table function that reads a dataset's Parquet, with any columns the files had when they were written. The schema
 * is given explicitly. Otherwise each statement that names the view would open every file, which for a thousand files
 * takes longer than the query.
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

/** A dataset's columns with their current types. */
export const columnsOf = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `"${name}"::${sql} as "${name}"`)
    .join(', ')

export const list = (files: readonly string[]): string => `[${files.map(literal).join(', ')}]`

const noRows = ({ columns }: Dataset): string =>
  `select ${Object.entries(columns)
    .map(([name, { sql }]) => `null::${sql} as "${name}"`)
    .join(', ')} where false`
