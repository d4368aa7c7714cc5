import { storedEntries } from '#activities/ingest/stored_unit.ts'
import type { StreamSource } from '#activities/source.ts'
import type { Lake } from '#lake/lake.ts'
import { lastObserved } from '#lake/units/stored_unit.ts'
import type { Micros } from '#time.ts'

import { unitAt, type OpenHour } from './open_hours.ts'

/**
 * Drops the rows of an hour that the sealing source has, and the gaps that it has filled. The hour begins after them.
 * An hour that is sealed as a whole begins at its end, and has no rows.
 */
export async function sealHour(lake: Lake, source: StreamSource, hour: OpenHour): Promise<void> {
  const { sealedBy } = source
  if (sealedBy === undefined) return
  const sealed = await sealedTo(lake, { sealedBy, hour })
  if (sealed <= hour.from) return
  hour.from = sealed
  hour.isChanged = true
  for (const rows of hour.rows.values()) {
    for (const [key, row] of rows) if (Number(row['ts'] ?? row['seen_at']) < sealed) rows.delete(key)
  }
  for (const gap of hour.gaps) if (endOf(gap) <= sealed || sealed === hour.unit.to) hour.gaps.delete(gap)
}

/** The end of the proved coverage of the sealing source in an hour: its own end there, or its last observation. */
async function sealedTo(
  lake: Lake,
  { sealedBy, hour }: { sealedBy: NonNullable<StreamSource['sealedBy']>; hour: OpenHour },
): Promise<Micros> {
  const { unit } = hour
  if (sealedBy.unit === 'observation') {
    const last = await lastObserved(lake, { ...sealedBy, part: unit.part })
    return Math.min(last ?? hour.from, unit.to ?? Infinity)
  }
  const entries = await storedEntries(lake, unitAt({ name: sealedBy.name, unit: 'hour' }, unit.part, unit.from))
  const [entry] = entries
  if (entry === undefined || !entries.every(({ state }) => state === 'done' || state === 'head')) return hour.from
  return Math.min(entry.to ?? unit.to ?? hour.from, unit.to ?? Infinity)
}

/** The end of a gap, which its text states. */
function endOf(gap: string): Micros {
  const [, text] = /from \S+ \S+ to (\S+ \S+)$/.exec(gap) ?? []
  const at_ms = text === undefined ? Number.NaN : Date.parse(`${text.replace(' ', 'T')}Z`)
  return Number.isNaN(at_ms) ? Infinity : at_ms * 1000
}
