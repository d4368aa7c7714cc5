import type { DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { rowsUntil, withRows } from '#lake/units/spilled_rows.ts'
import type { Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { isUnverified, withReason, type UnitReading } from './read.ts'
import { storedEntries, storedBefore } from './stored_rows.ts'

/**
 * A reading of a history, with the stored rows that are older than its own rows. An upstream may show only the newest
 * 10,000 rows or the last three years. Older stored rows are then carried over. A reading with a proof is complete and
 * stays unchanged.
 */
export async function carryOver(lake: Lake, unit: Unit, reading: UnitReading): Promise<UnitReading> {
  if (unit.kind !== 'history' || reading.state === 'unavailable' || !isUnverified(reading)) return reading
  const isCutOff = reading.from > unit.from
  // Rows that do not parse any more are no older ones.
  if (reading.state === 'quarantined' && !isCutOff) return reading
  const stored = await storedEntries(lake, unit)
  const edge = isCutOff ? reading.from : await oldest(reading)
  const rows = { ...reading.rows }
  let n_older = 0
  for (const { dataset, n_rows } of stored) {
    const older = n_rows === 0 ? [] : await storedBefore(lake, unit, dataset, edge)
    rows[dataset] = await withRows(dataset, rows[dataset] ?? [], older)
    n_older += older.length
  }
  if (n_older === 0) return reading
  // Rows before a gap are carried over; coverage begins after the gap.
  // The end of a reading of a later instant is that of a clock that was ahead.
  const present = stored.filter(({ checked_at }) => checked_at <= reading.checkedAt)
  const reaching = present.filter(({ to }) => to === null || to >= edge)
  const from = Math.min(reading.from, ...reaching.map((entry) => entry.from ?? reading.from))
  const kept = `${n_older} older ${n_older === 1 ? 'row' : 'rows'} carried over from an earlier reading`
  return { ...withReason(reading, kept, 'incomplete'), rows, from }
}

async function oldest({ rows }: UnitReading): Promise<Micros> {
  let least = Infinity
  for (const name of Object.keys(rows) as DatasetName[])
    least = Math.min(least, (await rowsUntil(name, rows[name] ?? [], null)).oldest)
  return least
}
