import { literal } from '#storage/duckdb.ts'

import { fieldId, fileType } from './columns.ts'
import { coverage, datasets, quarantine, type Dataset } from './datasets/index.ts'

/** The datasets with data files: those that sources fill, and rejected rows. Coverage is in the catalog alone. */
export const stored: Record<string, Dataset> = { ...datasets, quarantine }

const tables: Record<string, Dataset> = { ...stored, coverage }

/** The tables of schema `lake`. */
export const lakeTables: readonly string[] = Object.keys(tables)

/** A table: its columns, and the folder of its files. */
export function lakeTable(name: string): { dataset: Dataset; root: string } {
  const dataset = tables[name]
  if (dataset === undefined) throw new Error(`lake.${name}: unknown dataset; expected one of ${lakeTables.join(', ')}`)
  return { dataset, root: `lake/${name}/v${dataset.version}` }
}

/** A data file: the name that DuckDB opens, and the ranges of its deleted rows, whose ends are included. */
export type DataFile = {
  name: string
  deleted: readonly { first: number; last: number }[]
}

/** The rows of data files that are not deleted. */
export function selectFrom(dataset: Dataset, files: readonly DataFile[]): string {
  const [whole, pruned] = [
    files.filter(({ deleted }) => deleted.length === 0),
    files.filter(({ deleted }) => deleted.length > 0),
  ]
  const selects = [
    ...(whole.length === 0 ? [] : [`select ${columnsOf(dataset)} from ${parquetRows(dataset, namesOf(whole))}`]),
    ...(pruned.length === 0
      ? []
      : [`select ${columnsOf(dataset)} from ${numberedRows(dataset, namesOf(pruned))} where ${isLeft(pruned)}`]),
  ]
  return selects.length === 0 ? noRows(dataset) : selects.join(' union all ')
}

const namesOf = (files: readonly DataFile[]): string[] => files.map(({ name }) => name)

const isLeft = (files: readonly DataFile[]): string => {
  const ranges = files.flatMap(({ name, deleted }) =>
    deleted.map(({ first, last }) => `(${literal(name)}, ${first}, ${last})`),
  )
  return `not exists (from (values ${ranges.join(', ')}) deleted(in_file, first_row, last_row)
    where in_file = filename and file_row_number between first_row and last_row)`
}

/**
 * The table function that reads a dataset's Parquet by field ids, with any columns the files had when they were
 * written. The schema is given explicitly. Otherwise each statement that names the view would open every file, which
 * for a thousand files takes longer than the query.
 */
export const parquetRows = ({ columns }: Dataset, files: readonly string[], options = ''): string => {
  const schema = Object.entries(columns).map(
    ([name, { sql }]) =>
      `${fieldId(name)}: {name: ${literal(name)}, type: ${literal(fileType(sql))}, default_value: null}`,
  )
  return `read_parquet([${files.map(literal).join(', ')}], schema = map {${schema.join(', ')}}, hive_partitioning = false${options})`
}

/** The same with the columns `filename` and `file_row_number`. */
export const numberedRows = (dataset: Dataset, files: readonly string[]): string =>
  parquetRows(dataset, files, ', filename = true, file_row_number = true')

/** A dataset's columns with their current types. */
export const columnsOf = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `"${name}"::${sql} as "${name}"`)
    .join(', ')

/** A select of a dataset's columns without a row. */
export const noRows = ({ columns }: Dataset): string =>
  `select ${Object.entries(columns)
    .map(([name, { sql }]) => `null::${sql} as "${name}"`)
    .join(', ')} where false`

/** The rows of a dataset in lines of text, each a JSON array of its columns. Instants are microseconds. */
export function rowsOf({ columns }: Dataset, lines: string): string {
  const values = Object.entries(columns).map(([name, { sql }], n) => {
    const value = `row[${n + 1}]`
    if (sql === 'TIMESTAMP') return `make_timestamp(${value}::BIGINT) as "${name}"`
    return sql.endsWith('[]') ? `from_json(${value}, '["VARCHAR"]') as "${name}"` : `${value}::${sql} as "${name}"`
  })
  return `select ${values.join(', ')} from (
    select from_json(line, '["VARCHAR"]') as row from (select unnest(string_split(${lines}, chr(10))) as line))`
}
