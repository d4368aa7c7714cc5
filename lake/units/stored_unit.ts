import { sql } from 'kysely'

import { after } from '#lake/catalog/coverage_at.ts'
import { type DatasetName, datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { gapsIn, type Gap } from '#lake/reasons.ts'
import { columnsOf, lakeTable, numberedRows } from '#lake/sql.ts'
import { lastPresent, type Micros } from '#time.ts'

import { unitPath, type Unit } from './unit.ts'

/** The coverage of a unit in one dataset. */
export type StoredEntry = {
  dataset: DatasetName
  state: string
  n_rows: number
  /** The rows of the upstream, with rejected ones; null: unknown. */
  n_read: number | null
  n_rejected: number | null
  /** The span that was read: instants, or blocks. */
  from: number | null
  to: number | null
  reason: string | null
  gaps: Gap[]
  checked_at: Micros
}

/** The coverage entries of a unit; none if it was never read. */
export async function storedCoverage({ catalog }: Lake, unit: Unit): Promise<StoredEntry[]> {
  const rows = await catalog.db
    .selectFrom('tapeline_coverage')
    .selectAll()
    .where('unit', '=', unitPath(unit))
    .where('end_snapshot', 'is', null)
    .orderBy('begin_snapshot')
    .orderBy(sql`dataset`)
    .execute()
  return rows.map(
    ({
      dataset,
      state,
      n_rows,
      n_read,
      n_rejected,
      from_at,
      to_at,
      from_block,
      to_block,
      reason,
      gaps,
      checked_at,
    }) => ({
      dataset: dataset as DatasetName,
      state,
      n_rows,
      n_read,
      n_rejected,
      from: from_at ?? from_block,
      to: to_at ?? to_block,
      reason,
      gaps: gapsIn(gaps),
      checked_at,
    }),
  )
}

/**
 * The instant of the last complete observation of a source; null without one. One of a future instant is none: a clock
 * that was ahead named it, and the source has nothing of the time up to it.
 */
export async function lastObserved(
  { catalog }: Lake,
  { name, part }: { name: string; part: string },
  now: Micros,
): Promise<Micros | null> {
  const prefix = `${name}/${part}/`
  const last = await catalog.db
    .selectFrom('tapeline_coverage')
    .select('from_at')
    .where('unit', '>', prefix)
    .where('unit', '<', after(prefix))
    .where('end_snapshot', 'is', null)
    .where('state', 'in', ['done', 'head'])
    .where('from_at', '<=', lastPresent(now))
    .orderBy('unit', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.from_at ?? null
}

/** The paths of the units of a part of which a reading was refused, or whose last reading has rejected rows. */
export async function faultyUnits(
  { catalog }: Pick<Lake, 'catalog'>,
  { source, part }: Pick<Unit, 'source' | 'part'>,
): Promise<Set<string>> {
  const prefix = `${source}/${part}/`
  const rows = await catalog.db
    .selectFrom('tapeline_coverage')
    .select('unit')
    .where('unit', '>', prefix)
    .where('unit', '<', after(prefix))
    .where('end_snapshot', 'is', null)
    .where((eb) => eb.or([eb('reason_code', '=', 'refused'), eb('state', '=', 'quarantined')]))
    .execute()
  return new Set(rows.map(({ unit }) => unit))
}

/** SQL for the stored rows of a unit in a dataset. */
export async function storedSelect({ catalog, storage }: Lake, name: DatasetName, unit: Unit): Promise<string> {
  const place = await catalog.db
    .selectFrom('tapeline_rows as r')
    .innerJoin('ducklake_data_file as f', 'f.data_file_id', 'r.data_file_id')
    .select(['f.path', 'r.first_row', 'r.n_rows'])
    .where('r.unit', '=', unitPath(unit))
    .where('r.table_id', '=', catalog.tableIds.get(name) ?? -1)
    .executeTakeFirst()
  if (place === undefined) throw new Error(`${unitPath(unit)}: it has no rows of ${name}; expected a unit with rows`)
  const file = await storage.localFile(`${lakeTable(name).root}/${place.path}`)
  const last = place.first_row + place.n_rows - 1
  return `(select ${columnsOf(datasets[name])} from ${numberedRows(datasets[name], [file])}
    where file_row_number between ${place.first_row} and ${last})`
}
