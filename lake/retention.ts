import { z } from 'zod'

import { isoMicros, type Micros } from '#time.ts'

import { coverage, quarantine, type Dataset } from './datasets/index.ts'
import type { Lake } from './lake.ts'
import { lakeTable } from './sql.ts'
import { commitFile } from './units/commit_file.ts'

/** A dataset whose rows are kept for `retention_s`, and the sources that fill it. */
export type Retained = { dataset: Dataset & { retention_s: number }; sources: readonly string[] }

/**
 * Drops the rows of units that ended longer ago than their dataset is kept, with the responses and the rejected rows of
 * these units. Coverage says `expired` last, so that a run that is killed goes on where it was. Returns how many units
 * expired.
 */
export async function expireUnits(
  lake: Lake,
  { retained, now, signal }: { retained: readonly Retained[]; now: Micros; signal?: AbortSignal },
): Promise<number> {
  let n_expired = 0
  for (const { dataset, sources } of retained) {
    for (const source of sources) {
      for (const [unit, lines] of await expiredIn(lake, source, dataset, now)) {
        if (signal?.aborted === true) return n_expired
        await lake.storage.delete(`raw/${unit}.ndjson.zst`)
        for (const table of [quarantine, dataset])
          await commitFile(lake, table, `${lakeTable(table.name).root}/${unit}.parquet`, undefined)
        const body = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        await commitFile(lake, coverage, `${lakeTable(coverage.name).root}/${unit}.ndjson`, body)
        n_expired += 1
      }
    }
  }
  return n_expired
}

const lineShape = z.object({ unit: z.string(), line: z.string() })
const stamps = ['from_at', 'to_at', 'upstream_at', 'checked_at']

/** The units of a source to expire, by path, with all lines of their coverage as they are to be. */
async function expiredIn(
  lake: Lake,
  source: string,
  { name, retention_s }: Retained['dataset'],
  now: Micros,
): Promise<Map<string, string[]>> {
  const stamped = stamps.map((stamp) => `strftime(${stamp}, '%Y-%m-%d %H:%M:%S.%f') as ${stamp}`)
  const rows = await lake.read(({ query }) =>
    query(
      `with entries as (
         select *, regexp_extract(unit, '^lake/[^/]+/v[0-9]+/(.*)\\.parquet$', 1) as path,
           dataset = $dataset and state not in ('expired', 'missing', 'unavailable')
             and to_at <= $before::timestamp as is_expired
         from lake.coverage where source = $source
       ), units as (
         select * from entries where path in (select path from entries where is_expired)
       )
       select path as unit, to_json(line)::varchar as line from (
         select path, {${Object.keys(coverage.columns)
           .map((column) => `${column}: ${column}`)
           .join(', ')}} as line
         from (
           select * replace (
             ${stamped.join(', ')},
             if(is_expired, 'expired', state) as state,
             if(is_expired, 0, n_rows) as n_rows,
             if(is_expired, null, digest) as digest,
             if(is_expired, 'rows are kept for ${retention_s / 86_400} days', reason) as reason
           ) from units
         )
       ) order by unit, line`,
      lineShape,
      { source, dataset: name, before: isoMicros(now - retention_s * 1_000_000) },
      { coverage: [`${source}/`] },
    ),
  )
  const units = new Map<string, string[]>()
  for (const { unit, line } of rows) units.set(unit, [...(units.get(unit) ?? []), line])
  return units
}
