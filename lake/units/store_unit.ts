import {
  coverage,
  datasets,
  quarantine,
  type Coverage,
  type Dataset,
  type DatasetName,
  type Quarantined,
} from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { type Micros, isoMicros } from '#time.ts'

import { rowCount, type UnitRows } from './column_batch.ts'
import { commitFile } from './commit_file.ts'
import { storedCoverage } from './stored_unit.ts'
import { coveragePath, rowsPath, spanOf, type Unit } from './unit.ts'
import { writeParquet } from './write_parquet.ts'

/** The contents of a unit, ready to be stored. */
export type UnitContents = {
  /** Rows for each dataset of the source, including empty ones. */
  rows: Partial<Record<DatasetName, UnitRows>>
  rejected: readonly { dataset: DatasetName; reason: string; path?: string; body: unknown }[]
  precedence: number
  state: 'done' | 'head' | 'quarantined' | 'unverified' | 'unavailable'
  /** The exclusive end of the rows, an instant or a block; null: the end of time. */
  to: number | null
  proof?: string | undefined
  reason?: string | undefined
  upstreamAt?: Micros | undefined
  asked: string[]
  checkedAt: Micros
}

export type StoreResult = { n_rows: number; n_quarantined: number; bytes: number }

/**
 * Stores a unit: rows, rejected rows, and last the coverage entries that make them count. Every path is a pure function
 * of the unit. A repetition, also after a crash at any point, leaves the same files. If the unit was compacted, it
 * leaves the same rows in the compacted file.
 */
export async function storeUnit(lake: Lake, unit: Unit, contents: UnitContents): Promise<StoreResult> {
  const entries: Coverage[] = []
  const rejected = quarantined(unit, contents)
  let bytes = (await storeRows(lake, quarantine, unit, rejected)).bytes
  for (const name of Object.keys(contents.rows) as DatasetName[]) {
    const rows = contents.rows[name] ?? []
    const stored = await storeRows(lake, datasets[name], unit, rows)
    bytes += stored.bytes
    entries.push(entry(unit, name, contents, rowCount(rows), stored.digest))
  }
  await putCoverage(lake, unit, entries)
  return { n_rows: entries.reduce((sum, { n_rows }) => sum + n_rows, 0), n_quarantined: rejected.length, bytes }
}

/** Records that reading a unit failed. Its stored rows stay. */
export async function storeFailure(
  lake: Lake,
  unit: Unit,
  failure: { datasets: readonly DatasetName[]; precedence: number; reason: string; asked: string[]; checkedAt: Micros },
): Promise<void> {
  if (!(await isMissing(lake, unit))) return
  const entries = failure.datasets.map((name): Coverage => ({
    ...entry(unit, name, { ...failure, state: 'head', to: unit.to, rows: {}, rejected: [] }, 0, null),
    state: 'missing',
  }))
  await putCoverage(lake, unit, entries)
}

/** Whether a unit has no stored rows: it has no coverage, or only the state `missing`. */
const isMissing = async (lake: Lake, unit: Unit): Promise<boolean> =>
  (await storedCoverage(lake, unit)).every(({ state }) => state === 'missing')

async function storeRows(
  lake: Lake,
  dataset: Dataset,
  unit: Unit,
  rows: UnitRows,
): Promise<{ digest: string | null; bytes: number }> {
  const path = rowsPath(dataset, unit)
  if (rowCount(rows) === 0) {
    await commitFile(lake, dataset, path, undefined)
    return { digest: null, bytes: 0 }
  }
  const { source } = unit
  const { file, digest, bytes } = await writeParquet(lake.writer, lake.scratch, dataset, { rows, source })
  await commitFile(lake, dataset, path, { file })
  return { digest, bytes }
}

function putCoverage(lake: Lake, unit: Unit, entries: readonly Coverage[]): Promise<void> {
  const lines = entries.map((row) => `${JSON.stringify(asJson(row))}\n`)
  return commitFile(lake, coverage, coveragePath(unit), Buffer.from(lines.join('')))
}

const entry = (
  unit: Unit,
  name: DatasetName,
  contents: UnitContents,
  n_rows: number,
  digest: string | null,
): Coverage => ({
  dataset: name,
  unit: rowsPath(datasets[name], unit),
  part: unit.part,
  key: unit.key,
  precedence: contents.precedence,
  state: contents.state,
  ...spanColumns(unit, contents.to),
  n_rows,
  digest,
  asked: contents.asked,
  verified: [],
  proof: contents.proof ?? null,
  reason: contents.reason ?? null,
  upstream_at: contents.upstreamAt ?? null,
  checked_at: contents.checkedAt,
  source: unit.source,
})

/** The columns of the span of a unit that reaches to `to`. */
const spanColumns = ({ kind, from }: Unit, to: number | null) =>
  spanOf(kind) === 'blocks'
    ? { from_at: null, to_at: null, from_block: from, to_block: to }
    : { from_at: from, to_at: to, from_block: null, to_block: null }

const quarantined = (unit: Unit, { rejected }: UnitContents): Omit<Quarantined, 'source'>[] =>
  rejected.map(({ dataset, reason, path, body }, ordinal) => ({
    dataset,
    unit: rowsPath(datasets[dataset], unit),
    ordinal,
    ts: null,
    reason,
    path: path ?? null,
    body: typeof body === 'string' ? body : (JSON.stringify(body) ?? String(body)),
  }))

/** A coverage row as JSON, which DuckDB reads back with the column types of the dataset. */
const asJson = (row: Coverage): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      coverage.columns[name as keyof Coverage].sql === 'TIMESTAMP' && typeof value === 'number'
        ? isoMicros(value)
        : value,
    ]),
  )
