import { z } from 'zod'

import { followedParts } from '#activities/index.ts'
import type { Hosts } from '#ingest/http/host.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { ofFuture, withoutFuture } from '#lake/present_coverage.ts'
import type { Micros } from '#time.ts'

import { failingShare, rejectionRates } from './rejection_rate.ts'

/** The state of a source, as `status` and `/metrics` show it. */
export type SourceState = {
  source: string
  units: Record<string, number>
  rows: number
  quarantined: number
  /** The latest instant that a unit which was read reaches; null if all are closed, or none was read by now. */
  reaches: string | null
  /** The seconds since that instant; null without one. */
  lag_s: number | null
  /** The last reading by now that did not fail; null if there was none. */
  read_at: string | null
  /** The last rows that it read, up to about 2,000 or all of a list, and the share of them that was rejected. */
  rows_read: number
  refused_share: number
  is_failing: boolean
  /**
   * The units of which the last reading was refused, since it lacks stored rows or values. Of observations only the last
   * one counts, since none is repeated.
   */
  refused_readings: number
  /** The most frequent reasons of missing and unverified units, and the number of readings of the future. */
  reasons: { reason: string; n_units: number }[]
}

/** Reasons contain responses of upstreams, which may be long. Coverage stores them in full. */
const maxReasonLength = 160

const ofFutureReason = 'read by a clock that was ahead; the next backfill or follow over its time reads it again'

const unitShape = z.object({
  source: z.string(),
  state: z.string(),
  n_units: z.coerce.number(),
  n_rows: z.coerce.number(),
  reaches: z.date().nullable(),
  read_at: z.date().nullable(),
})
const reasonShape = z.object({ source: z.string(), reason: z.string(), n_units: z.coerce.number() })
const refusedShape = z.object({ source: z.string(), n: z.coerce.number() })
const quarantineShape = z.object({ source: z.string(), n: z.coerce.number() })

/** The states of all sources with units, as of an instant of the clock. */
export async function sourceStates(lake: Lake, now: Micros): Promise<SourceState[]> {
  // One reader, since each loads the coverage of all units.
  return lake.read(async (reader) => {
    const { query } = reader
    // The clock of a simulated world is not this one.
    const isReal = ((await lake.world()) ?? 'real') === 'real'
    const isOfFuture = isReal ? ofFuture(now) : 'false'
    const judgedBy = isReal ? withoutFuture(reader, now) : reader
    const judged = new Map((await rejectionRates(judgedBy)).map((row) => [row.source, row]))
    const units = await query(
      `select source, state, count(distinct unit) as n_units, sum(n_rows) as n_rows,
         max(to_at) filter (state <> 'missing' and not (${isOfFuture})) as reaches,
         max(checked_at) filter (state <> 'missing' and not (${isOfFuture})) as read_at
       from lake.coverage group by source, state order by source, state`,
      unitShape,
    )
    const reasons = await query(
      `with reasons as (
         select source, left(reason, ${maxReasonLength}) as reason, unit
         from lake.coverage where reason is not null and (state <> 'done' or reason_code = 'refused')
         union all
         select source, '${ofFutureReason}', unit from lake.coverage where ${isOfFuture}
       )
       select source, reason, count(distinct unit) as n_units from reasons group by source, reason
       qualify row_number() over (partition by source order by count(distinct unit) desc, reason) <= 5
       order by n_units desc, reason`,
      reasonShape,
    )
    const refused = await query(
      `with latest as (
         select source, part, max(unit) as unit from lake.coverage group by source, part
       )
       select source, count(distinct c.unit) as n from lake.coverage c left join latest using (source, part, unit)
       where c.reason_code = 'refused'
         and (c.key <> '' or c.from_block is not null or c.from_at is distinct from c.to_at or latest.unit is not null)
       group by source`,
      refusedShape,
    )
    const quarantined = await query(
      'select source, count(*) as n from lake.quarantine group by source',
      quarantineShape,
    )
    return [...new Set(units.map(({ source }) => source))].map((source): SourceState => {
      const sourceUnits = units.filter((row) => row.source === source)
      const reaches = latestOf(sourceUnits.map((row) => row.reaches))
      const read = latestOf(sourceUnits.map(({ read_at }) => read_at))
      const { n_rows: rows_read, share } = judged.get(source) ?? { n_rows: 0, share: 0 }
      return {
        source,
        units: Object.fromEntries(sourceUnits.map(({ state, n_units }) => [state, n_units])),
        rows: sourceUnits.reduce((sum, { n_rows }) => sum + n_rows, 0),
        quarantined: quarantined.find((row) => row.source === source)?.n ?? 0,
        reaches: reaches?.toISOString() ?? null,
        lag_s: reaches && Math.max(0, Math.round(now / 1_000_000 - reaches.getTime() / 1_000)),
        read_at: read?.toISOString() ?? null,
        rows_read,
        refused_share: share,
        is_failing: share > failingShare,
        refused_readings: refused.find((row) => row.source === source)?.n ?? 0,
        reasons: reasons.filter((row) => row.source === source).map(({ reason, n_units }) => ({ reason, n_units })),
      }
    })
  })
}

const latestOf = (instants: readonly (Date | null)[]): Date | null => {
  const times_ms = instants.flatMap((instant) => (instant === null ? [] : [instant.getTime()]))
  return times_ms.length === 0 ? null : new Date(Math.max(...times_ms))
}

/**
 * Reports the parts of sources that a follow leaves out: those whose upstreams need a key, and those whose upstreams a
 * simulated world does not serve.
 */
export function reportUnfollowed(hosts: Hosts, sources: readonly Source[]): void {
  for (const source of sources.filter(({ follow }) => follow !== null)) {
    const followed = followedParts(source, hosts)
    for (const { name, upstreams } of source.parts.filter((part) => !followed.includes(part))) {
      const keys = [...new Set(upstreams.flatMap(({ secret }) => secret?.setting ?? []))].join(', ')
      const addresses = upstreams.map((host) => `${host.name.toUpperCase()}_URL`).join(', ')
      const expected = keys === '' ? `an address in ${addresses}` : `a key in ${keys}`
      process.stderr.write(`${source.name} ${name}: not followed; expected ${expected}\n`)
    }
  }
}
