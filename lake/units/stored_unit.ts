import { z } from 'zod'

import { readFolder } from '#lake/compaction/manifest.ts'
import { joinedPath, placeOf } from '#lake/compaction/paths.ts'
import { coverage, datasets, type Dataset, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { parquetRows, columnsOf } from '#lake/sql.ts'
import { literal, withConnection } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { holderOf } from './commit_file.ts'
import { coveragePath, rowsPath, type Unit } from './unit.ts'

/** The coverage of a unit in one dataset. */
export type StoredEntry = {
  dataset: DatasetName
  state: string
  n_rows: number
  /** The span that was read: instants, or blocks. */
  from: number | null
  to: number | null
  reason: string | null
  checked_at: Micros
}

/** The coverage entries of a unit, compacted or not; none if it was never read. */
export async function storedCoverage(lake: Lake, unit: Unit): Promise<StoredEntry[]> {
  const path = coveragePath(unit)
  const joined = await joinedSelect(lake, coverage, path)
  if (joined === undefined) {
    const body = await lake.storage.get(path)
    const lines = body?.toString().trim().split('\n') ?? []
    return lines.map((line) => inSpan(lineShape.parse(JSON.parse(line))))
  }
  return withConnection(lake.writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `select dataset, state, n_rows, epoch_us(from_at) as from_at, epoch_us(to_at) as to_at, from_block, to_block,
         reason, epoch_us(checked_at) as checked_at from ${joined}`,
    )
    return z.array(rowShape).parse(reader.getRowObjectsJS()).map(inSpan)
  })
}

/** SQL for the stored rows of a unit that has some, compacted or not. */
export async function storedSelect(lake: Lake, name: DatasetName, unit: Unit): Promise<string> {
  const path = rowsPath(datasets[name], unit)
  const joined = await joinedSelect(lake, datasets[name], path)
  return (
    joined ?? `(select ${columnsOf(datasets[name])} from ${parquetRows(datasets[name], [lake.storage.locate(path)])})`
  )
}

/** Selects the rows of a unit from its compacted file; undefined if its own file counts. */
async function joinedSelect(lake: Lake, dataset: Dataset, path: string): Promise<string | undefined> {
  const { folder, name } = placeOf(path)
  const entry = await holderOf(lake, await readFolder(lake.storage, folder), name)
  if (entry === undefined) return undefined
  const file = parquetRows(dataset, [lake.storage.locate(joinedPath(folder, entry.file))])
  return `(select ${columnsOf(dataset)} from ${file} where joined_from = ${literal(name)})`
}

const named = {
  dataset: z.enum(Object.keys(datasets) as [DatasetName, ...DatasetName[]]),
  state: z.string(),
  reason: z.string().nullable(),
}
const stamp = z
  .string()
  .transform((text): Micros => Date.parse(`${text.slice(0, 19)}Z`) * 1000 + Number(text.slice(20)))
/** A line of a unit's own file. */
const lineShape = z.object({
  ...named,
  n_rows: z.number(),
  from_at: stamp.nullable(),
  to_at: stamp.nullable(),
  // A line of an earlier version has no blocks.
  from_block: z.number().nullable().default(null),
  to_block: z.number().nullable().default(null),
  checked_at: stamp,
})
const whole = z.bigint().transform(Number)
/** A row of a compacted file. */
const rowShape = z.object({
  ...named,
  n_rows: whole,
  from_at: whole.nullable(),
  to_at: whole.nullable(),
  from_block: whole.nullable(),
  to_block: whole.nullable(),
  checked_at: whole,
})

/** An entry with its span in one pair of numbers, whatever it is measured in. */
const inSpan = ({ from_at, to_at, from_block, to_block, ...rest }: z.output<typeof rowShape>): StoredEntry => ({
  ...rest,
  from: from_at ?? from_block,
  to: to_at ?? to_block,
})
