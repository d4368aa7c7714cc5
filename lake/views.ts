import { join } from 'node:path'

import { z } from 'zod'

import { coverage, datasets, quarantine, type Dataset } from './datasets.ts'
import { literal } from './duckdb.ts'
import { currentFiles, isSidecar } from './files.ts'
import type { Storage } from './storage.ts'

/** A sidecar names the files that were joined. */
const sidecarShape = z.array(z.string())

/** A dataset's name and the select that reads it from the files that count now. */
export type LakeView = { name: string; doc: string; select: string }

const tables: Record<string, Dataset> = { ...datasets, quarantine, coverage }

/** The tables of schema `lake`. */
export const lakeTables: readonly string[] = Object.keys(tables)

/**
 * The view of one dataset. Files are named one by one, so that it never sees a file that was superseded. With a
 * folder for `pins` they are held there, so that it never sees one that was replaced either.
 */
export async function lakeView(storage: Storage, table: string, pins?: string): Promise<LakeView> {
  const dataset = tables[table]
  if (dataset === undefined) throw new Error(`the lake has no dataset ${table}; there are ${lakeTables.join(', ')}`)
  const { name, doc } = dataset
  // DuckDB reads a file of coverage in one go: it need not be held.
  if (dataset === coverage) {
    return { name, doc, select: coverageSelect((await storage.list('lake/coverage/v1')).map(storage.locate)) }
  }
  const paths = await filesOf(storage, dataset)
  const files = pins === undefined ? paths.map(storage.locate) : await storage.pin(paths, join(pins, name))
  return { name, doc, select: parquetSelect(dataset, files) }
}

/** The views of all datasets. */
export const lakeViews = (storage: Storage, pins?: string): Promise<LakeView[]> =>
  Promise.all(lakeTables.map((table) => lakeView(storage, table, pins)))

async function filesOf(storage: Storage, { name, version }: Dataset): Promise<string[]> {
  const paths = await storage.list(`lake/${name}/v${version}`)
  const sidecars = new Map<string, string[]>()
  for (const path of paths.filter(isSidecar)) {
    const body = await storage.get(path)
    if (body !== undefined) sidecars.set(path, sidecarShape.parse(JSON.parse(body.toString())))
  }
  return currentFiles(paths, sidecars)
}

const list = (files: readonly string[]): string => `[${files.map(literal).join(', ')}]`

const parquetSelect = (dataset: Dataset, files: readonly string[]): string =>
  files.length === 0
    ? noRows(dataset)
    : `select ${Object.entries(dataset.columns)
        .map(([name, { sql }]) => `"${name}"::${sql} as "${name}"`)
        .join(', ')} from read_parquet(${list(files)}, union_by_name = true, hive_partitioning = false)`

const coverageSelect = (files: readonly string[]): string => {
  const columns = Object.entries(coverage.columns).map(([name, { sql }]) => `${name}: '${sql}'`)
  return files.length === 0
    ? noRows(coverage)
    : `select * from read_json(${list(files)}, format = 'newline_delimited', columns = {${columns.join(', ')}})`
}

const noRows = ({ columns }: Dataset): string =>
  `select ${Object.entries(columns)
    .map(([name, { sql }]) => `null::${sql} as "${name}"`)
    .join(', ')} where false`
