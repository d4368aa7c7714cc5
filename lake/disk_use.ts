import { sql } from 'kysely'
import { z } from 'zod'

import { SECOND, type Micros } from '#time.ts'

import type { Catalog } from './catalog/catalog.ts'

/** The data files of a source on the disk, in bytes. */
export type SourceDisk = {
  source: string
  /** The files of the newest snapshot. */
  bytes: number
  /** Replaced files that a kept snapshot still has. */
  replaced_bytes: number
  /** The growth of `bytes` since the oldest kept snapshot, for a day; null if that is less than an hour old. */
  bytes_a_day: number | null
}

const rowShape = z.array(
  z.object({ source: z.string(), bytes: z.coerce.number(), replaced: z.coerce.number(), former: z.coerce.number() }),
)
const [hour_s, day_s] = [3_600, 86_400]

/** The data files of each source, the largest first. */
export async function diskUse({ db }: Pick<Catalog, 'db'>, now: Micros): Promise<SourceDisk[]> {
  const oldest = await db
    .selectFrom('ducklake_snapshot')
    .select(['snapshot_id', 'snapshot_time'])
    .orderBy('snapshot_id')
    .limit(1)
    .executeTakeFirstOrThrow()
  const { snapshot_id } = oldest
  const { rows } = await sql`
    select
      t.source,
      sum(case when f.end_snapshot is null then f.file_size_bytes else 0 end) as bytes,
      sum(case when f.end_snapshot is null then 0 else f.file_size_bytes end) as replaced,
      sum(case when f.begin_snapshot <= ${snapshot_id} and (f.end_snapshot is null or f.end_snapshot > ${snapshot_id})
        then f.file_size_bytes else 0 end) as former
    from ducklake_data_file f join tapeline_files t on t.data_file_id = f.data_file_id
    group by t.source order by 2 desc, 1`.execute(db)
  const kept_s = (now - instantOf(oldest.snapshot_time)) / SECOND
  return rowShape.parse(rows).map(({ source, bytes, replaced, former }) => ({
    source,
    bytes,
    replaced_bytes: replaced,
    bytes_a_day: kept_s < hour_s ? null : Math.round(((bytes - former) * day_s) / kept_s),
  }))
}

/** SQLite has the text of DuckLake, PostgreSQL an instant. */
const instantOf = (at: string | Date): Micros =>
  (at instanceof Date ? at.getTime() : Date.parse(`${at.slice(0, 23).replace(' ', 'T')}Z`)) * 1_000
