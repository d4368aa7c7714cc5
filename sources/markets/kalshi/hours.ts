import { z } from 'zod'

import type { PlannedSource } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { HOUR, SECOND, type Micros } from '#time.ts'

import { VENUE } from './wire/types.ts'

/** The properties of a source with hours as units. */
export type Hourly = Pick<PlannedSource, 'name' | 'lag_s' | 'settle_s'> & { unit: 'hour' }

export const hourOf = (at: Micros): Micros => at - (at % HOUR)

/** The hour of the last instant that the venue shows by `at`. */
export const lastHour = ({ lag_s }: Hourly, at: Micros): Micros => hourOf(at - lag_s * SECOND - 1)

const stored = z.object({
  from: z.bigint().transform(Number),
  to: z.bigint().nullable(),
  state: z.string(),
})
type StoredHour = z.output<typeof stored>

/** The stored hours of a source, by their start. */
export async function storedHours(lake: LakeReader, { name }: Hourly): Promise<Map<Micros, StoredHour>> {
  const rows = await lake.query(
    `select epoch_us(min(from_at)) as from, epoch_us(min(to_at)) as to, min(state) as state
     from lake.coverage where source = $name group by unit order by 1`,
    stored,
    { name },
    { coverage: [`${name}/`] },
  )
  return new Map(rows.map((row) => [row.from, row]))
}

/**
 * The units of the hours from `first` on that are left to read, up to `end`. Hours that are done, or read to their end
 * without a fault and not settled, are left out, unless all are read again.
 */
export function hoursLeft(
  source: Hourly,
  hours: ReadonlyMap<Micros, StoredHour>,
  { first, end, at, refresh }: { first: Micros; end: Micros; at: Micros; refresh: boolean },
): Unit[] {
  const units: Unit[] = []
  for (let hour = hourOf(first); hour < end; hour += HOUR) {
    if (refresh || isLeft(source, hours.get(hour), at))
      units.push(unitOf({ ...source, part: VENUE }, { from: hour, to: hour + HOUR }))
  }
  return units
}

function isLeft({ settle_s }: Hourly, hour: StoredHour | undefined, at: Micros): boolean {
  if (hour?.state === 'done') return false
  if (hour?.state !== 'head') return true
  const end = hour.from + HOUR
  return Number(hour.to ?? 0) < end || end + settle_s * SECOND <= at
}
