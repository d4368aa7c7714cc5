import { z } from 'zod'

import { literal, withConnection } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { catalogTime } from './catalog/catalog.ts'
import { commitUnits, deleteUnnamed, storedPath, type NewFile } from './catalog/commit_units.ts'
import { toCoverage, unitMetadata } from './catalog/coverage_rows.ts'
import type { CoverageRow } from './catalog/tables.ts'
import { quarantine } from './datasets/index.ts'
import type { Lake } from './lake.ts'
import { pinSnapshot, unpinSnapshot } from './snapshot.ts'
import { columnsOf, lakeTable, noRows, numberedRows } from './sql.ts'
import { dataPathOf, rawPathOf } from './units/unit.ts'
import { metadataKey, writeParquet } from './units/write_parquet.ts'

/** A reading of a unit that another one has replaced, and that the lake still keeps. */
export type Replaced = {
  unit: string
  /** The rows of the unit now, and the rows and the instant of the reading to bring back. */
  n_rows: number
  former: { n_rows: number; checked_at: Micros; state: string }
  /** The snapshot from which on the present reading is stored, and a kept one with the former reading. */
  since: number
  snapshot: number
}

/** The readings of a source that were stored in an interval of the machine's time. */
export type Interval = { source: string; from: Micros; to: Micros }

type Entry = CoverageRow & { begin_snapshot: number; end_snapshot: number | null }

/** The reading that the last reading of a unit has replaced. Throws if the unit has none, or the lake keeps none. */
export async function replacedBefore(lake: Lake, unit: string): Promise<Replaced> {
  const versions = await versionsOf(lake, [unit])
  const present = presentOf(versions.get(unit) ?? [])
  if (present === undefined) throw new Error(`unit ${unit}: not stored; expected one of \`lake.coverage\``)
  if (present.some(({ state }) => state === 'expired'))
    throw new Error(`unit ${unit}: its rows expired; expected a unit whose rows are kept`)
  const former = await formerOf(lake, versions.get(unit) ?? [], Infinity)
  if (former === undefined)
    throw new Error(`unit ${unit}: no former reading is kept; expected one that was replaced less than a day ago`)
  return former
}

/**
 * The readings that a run has replaced. Units that were read again since are left out, as those that it read first, of
 * which nothing was replaced. The kept snapshots of a time more than an hour ago are ten minutes apart.
 */
export async function replacedIn(lake: Lake, { source, from, to }: Interval): Promise<Replaced[]> {
  const [first, last] = [await snapshotBefore(lake, from), await snapshotBefore(lake, to + 1_000)]
  const rows = await lake.catalog.db
    .selectFrom('tapeline_coverage')
    .select('unit')
    .distinct()
    .where('source', '=', source)
    .where('end_snapshot', 'is', null)
    .where('state', '<>', 'expired')
    .where('begin_snapshot', '>', first)
    .where('begin_snapshot', '<=', last)
    .orderBy('unit')
    .execute()
  const versions = await versionsOf(
    lake,
    rows.map(({ unit }) => unit),
  )
  const former = await Promise.all([...versions.values()].map((entries) => formerOf(lake, entries, first)))
  return former.filter((replaced) => replaced !== undefined)
}

/** The last kept snapshot before an instant; 0 without one. */
async function snapshotBefore({ catalog }: Lake, at: Micros): Promise<number> {
  const row = await catalog.db
    .selectFrom('ducklake_snapshot')
    .select((eb) => eb.fn.max('snapshot_id').as('id'))
    .where('snapshot_time', '<', catalogTime(at))
    .executeTakeFirst()
  return row?.id ?? 0
}

const unitsAtOnce = 500

async function versionsOf({ catalog }: Lake, units: readonly string[]): Promise<Map<string, Entry[]>> {
  const versions = new Map<string, Entry[]>()
  for (let start = 0; start < units.length; start += unitsAtOnce) {
    const rows = await catalog.db
      .selectFrom('tapeline_coverage')
      .selectAll()
      .where('unit', 'in', units.slice(start, start + unitsAtOnce))
      .orderBy('begin_snapshot')
      .orderBy('dataset')
      .execute()
    for (const row of rows) versions.set(row.unit, [...(versions.get(row.unit) ?? []), row])
  }
  return versions
}

const presentOf = (entries: readonly Entry[]): Entry[] | undefined => {
  const present = entries.filter(({ end_snapshot }) => end_snapshot === null)
  return present.length === 0 ? undefined : present
}

/** What tells readings of a unit apart. A mark of a reading, such as a contradiction, changes none of it. */
const readingOf = (entries: readonly Entry[]): string =>
  JSON.stringify(entries.map(({ dataset, checked_at, n_rows, digest }) => [dataset, checked_at, n_rows, digest]))

/** The last reading before the present one that was stored up to a snapshot; undefined if none is kept. */
async function formerOf({ catalog }: Lake, entries: readonly Entry[], upTo: number): Promise<Replaced | undefined> {
  const present = presentOf(entries)
  const [first] = present ?? []
  if (present === undefined || first === undefined) return undefined
  const begins = [...new Set(entries.map(({ begin_snapshot }) => begin_snapshot))].filter((begin) => begin <= upTo)
  const former = begins
    .map((begin) => entries.filter(({ begin_snapshot }) => begin_snapshot === begin))
    .findLast((version) => version[0]?.state !== 'missing' && readingOf(version) !== readingOf(present))
  const [other] = former ?? []
  if (former === undefined || other === undefined) return undefined
  const kept = await catalog.db
    .selectFrom('ducklake_snapshot')
    .select((eb) => eb.fn.max('snapshot_id').as('id'))
    .where('snapshot_id', '>=', other.begin_snapshot)
    .where('snapshot_id', '<', other.end_snapshot ?? 0)
    .executeTakeFirst()
  if (kept === undefined || kept.id === null) return undefined
  return {
    unit: first.unit,
    n_rows: sum(present),
    former: { n_rows: sum(former), checked_at: other.checked_at, state: other.state },
    since: first.begin_snapshot,
    snapshot: kept.id,
  }
}

const sum = (entries: readonly Entry[]): number => entries.reduce((total, { n_rows }) => total + n_rows, 0)

/**
 * Stores the former reading of a unit again, in one commit. Its raw responses go, since a reparse would bring back the
 * present one. Throws if the unit was read meanwhile.
 */
export async function undo(lake: Lake, { unit, since, snapshot }: Replaced): Promise<void> {
  const pin = `undo ${unit}`
  await pinSnapshot(lake, pin, snapshot)
  try {
    const entries = await entriesAt(lake, unit, snapshot)
    const [first] = entries
    if (first === undefined) throw new Error(`unit ${unit}: its former reading is gone; expected a kept snapshot`)
    const coverage = entries.map(({ begin_snapshot: _, end_snapshot: __, ...row }) => row)
    const files = await filesOf(lake, coverage, snapshot)
    const digests = new Map(files.map(({ dataset, digest }) => [dataset, digest]))
    const spare = await commitUnits(lake.catalog, {
      units: [unit],
      files,
      coverage: coverage.map((row) => ({ ...row, digest: row.n_rows > 0 ? (digests.get(row.dataset) ?? null) : null })),
      inCommit: async ({ tx }) => {
        const stored = tx.selectFrom('tapeline_coverage').select('begin_snapshot').where('unit', '=', unit)
        const present = await stored.where('end_snapshot', 'is', null).executeTakeFirst()
        if (present?.begin_snapshot !== since)
          throw new Error(`unit ${unit}: read meanwhile; expected no run that reads it`)
      },
    })
    if (spare.length > 0) await deleteUnnamed(lake.catalog, lake.storage, spare)
    await lake.storage.delete(rawPathOf(unit, first.key))
  } finally {
    await unpinSnapshot(lake, pin)
  }
}

const entriesAt = ({ catalog }: Lake, unit: string, snapshot: number): Promise<Entry[]> =>
  catalog.db
    .selectFrom('tapeline_coverage')
    .selectAll()
    .where('unit', '=', unit)
    .where('begin_snapshot', '<=', snapshot)
    .where('end_snapshot', '>', snapshot)
    .orderBy('dataset')
    .execute()

/** Writes the rows of a unit as of a snapshot to files of its own, with its rejected rows. */
async function filesOf(lake: Lake, coverage: readonly CoverageRow[], snapshot: number): Promise<NewFile[]> {
  const metadata = unitMetadata((await lake.world()) ?? 'real', coverage.map(toCoverage))
  const files: NewFile[] = []
  const write = async (entry: CoverageRow, name: string, select: string): Promise<void> => {
    const { dataset } = lakeTable(name)
    const { unit, key, source } = entry
    const { body, ...written } = await withConnection(lake.writer, (connection) =>
      writeParquet(connection, lake.scratch, dataset, { select, metadata }),
    )
    const path = dataPathOf(unit, key, written.digest)
    await lake.storage.put(storedPath({ dataset: name, path }), body)
    files.push({ ...written, dataset: name, path, source, units: [{ unit, n_rows: written.n_rows }] })
  }
  const [first] = coverage
  if (first === undefined) return []
  for (const entry of coverage) {
    if (entry.n_rows === 0) continue
    const select = await selectAt(lake, { name: entry.dataset, unit: entry.unit, n_rows: entry.n_rows }, snapshot)
    if (select === undefined)
      throw new Error(`unit ${entry.unit}: its former rows of ${entry.dataset} are gone; expected a kept data file`)
    await write(entry, entry.dataset, select)
  }
  const rejected = await selectAt(lake, { name: quarantine.name, unit: first.unit, n_rows: null }, snapshot)
  if (rejected !== undefined) await write(first, quarantine.name, rejected)
  // A unit without rows has one file without rows, whose metadata holds its coverage.
  if (files.length === 0) await write(first, first.dataset, noRows(lakeTable(first.dataset).dataset))
  return files
}

type Wanted = { name: string; unit: string; n_rows: number | null }

/** SQL for the rows of a unit in a dataset as of a snapshot; undefined without any. */
async function selectAt(lake: Lake, { name, unit, n_rows }: Wanted, snapshot: number): Promise<string | undefined> {
  const { dataset, root } = lakeTable(name)
  const files = await lake.catalog.db
    .selectFrom('ducklake_data_file as f')
    .innerJoin('tapeline_files as t', 't.data_file_id', 'f.data_file_id')
    .select(['f.path', 't.n_units', 'f.record_count'])
    .where('f.table_id', '=', lake.catalog.tableIds.get(name) ?? -1)
    .where('f.begin_snapshot', '<=', snapshot)
    .where((eb) => eb.or([eb('f.end_snapshot', 'is', null), eb('f.end_snapshot', '>', snapshot)]))
    .where('t.first_unit', '<=', unit)
    .where('t.last_unit', '>=', unit)
    .execute()
  for (const { path, n_units, record_count } of files) {
    const file = await lake.storage.localFile(`${root}/${path}`)
    const [from, to] =
      n_units === 1 ? [0, record_count] : await placeIn(lake, file, { name, unit, n_rows: n_rows ?? 0 })
    if (to - from !== (n_rows ?? to - from) || to === from) continue
    return `select ${columnsOf(dataset)} from ${numberedRows(dataset, [file])}
      where file_row_number >= ${from} and file_row_number < ${to} order by file_row_number`
  }
  return undefined
}

const metadataShape = z.object({
  entries: z.array(z.object({ dataset: z.string(), unit: z.string(), n_rows: z.number() })),
})

/** The first row of a unit in a merged file and the row after its last one. */
async function placeIn(lake: Lake, file: string, { name, unit }: Wanted): Promise<[number, number]> {
  return withConnection(lake.writer, async (connection) => {
    if (name === quarantine.name) {
      const rows = await connection.runAndReadAll(
        `select coalesce(min(file_row_number), 0), coalesce(max(file_row_number) + 1, 0)
         from ${numberedRows(quarantine, [file])} where unit = ${literal(unit)}`,
      )
      return z.tuple([z.coerce.number(), z.coerce.number()]).parse(rows.getRowsJS()[0])
    }
    const rows = await connection.runAndReadAll(
      `select decode(value) from parquet_kv_metadata(${literal(file)}) where key = '${metadataKey}'`,
    )
    const { entries } = metadataShape.parse(JSON.parse(z.string().parse(rows.getRowsJS()[0]?.[0])))
    let from = 0
    for (const entry of entries.filter(({ dataset }) => dataset === name)) {
      if (entry.unit === unit) return [from, from + entry.n_rows]
      from += entry.n_rows
    }
    return [0, 0]
  })
}
