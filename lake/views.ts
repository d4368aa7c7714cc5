import { coverage, datasets, quarantine, type Dataset } from './datasets.ts'
import { literal } from './duckdb.ts'
import { currentFiles, isSidecar } from './files.ts'
import type { Storage } from './storage.ts'

/** A dataset's name and the select that reads it from the files that count now. */
export type LakeView = { name: string; doc: string; files: string[]; select: string }

/** One view for each dataset. Files are named one by one, so that a view never sees a file that was superseded. */
export async function lakeViews(storage: Storage): Promise<LakeView[]> {
  const views = [...Object.values(datasets), quarantine].map(async (dataset: Dataset) => {
    const files = await filesOf(storage, dataset)
    return { name: dataset.name, doc: dataset.doc, files, select: parquetSelect(dataset, files) }
  })
  const entries = (await storage.list('lake/coverage/v1')).map(storage.locate)
  const { name, doc } = coverage
  return [...(await Promise.all(views)), { name, doc, files: entries, select: coverageSelect(entries) }]
}

async function filesOf(storage: Storage, { name, version }: Dataset): Promise<string[]> {
  const paths = await storage.list(`lake/${name}/v${version}`)
  const sidecars = new Map<string, string[]>()
  for (const path of paths.filter(isSidecar)) {
    const body = await storage.get(path)
    if (body !== undefined) sidecars.set(path, JSON.parse(body.toString()))
  }
  return currentFiles(paths, sidecars).map(storage.locate)
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
