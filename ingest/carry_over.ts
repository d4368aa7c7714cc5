import type { DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { rowsUntil, withRows } from '#lake/units/spilled_rows.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { withReason, type UnitReading } from './read_unit.ts'
import { storedEntries, storedBefore } from './stored_unit.ts'

/** Whether a reading has no proof. */
const isUnverified = ({ state }: UnitReading): boolean => state !== 'done' && state !== 'head'

/**
 * A reading of a history, with the stored rows that are older than its own rows. An upstream may show only the newest
 * 10,000 rows or the last three years. Older stored rows are then carried over. A reading with a proof is complete and
 * stays unchanged.
 */
export async function carryOverOlderRows(lake: Lake, unit: Unit, reading: UnitReading): Promise<UnitReading> {
  if (unit.kind !== 'history' || reading.state === 'unavailable' || !isUnverified(reading)) return reading
  const stored = await storedEntries(lake, unit)
  const isCutOff = reading.from > unit.from
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
  return { ...withReason(reading, kept), rows, from }
}

/** The share of stored rows that an upstream may remove from a history, such as reverted trades. */
const removedShare = 0.01

/**
 * Throws if a reading would replace more stored rows than it has. A history only grows, so a proof of fewer rows
 * counts no more than none. A refresh replaces them, since the stored rows may be the wrong ones.
 */
export async function assertNoRowsLost(lake: Lake, unit: Unit, reading: UnitReading): Promise<void> {
  const isProved = !isUnverified(reading)
  if (isProved && (unit.kind !== 'history' || unit.forceRefresh === true)) return
  const reason = reading.reason ?? (isProved ? 'a history does not shrink' : 'no reason')
  for (const { dataset, n_rows, to } of await storedEntries(lake, unit)) {
    if (reading.state === 'unavailable') {
      throw new Error(`unit: unavailable upstream, but stored; the stored rows stay: ${reason}`)
    }
    // A source may store rows of its last instant, although others of that instant may follow.
    const { n_rows: n_known } = await rowsUntil(dataset, reading.rows[dataset] ?? [], to)
    // A source may read only a part of an hour. It carries the other rows over itself.
    const n_least = isProved ? Math.floor(n_rows * (1 - removedShare)) : n_rows
    if (unit.kind !== 'history' || n_known >= n_least) continue
    throw new Error(`${dataset}: ${n_known} of ${n_rows} stored rows in this reading; the stored rows stay: ${reason}`)
  }
}

/**
 * Throws if an open range of blocks would end before its stored end. A node behind the previous node is no
 * reorganization. The unit is read again when the head is beyond the stored end.
 */
export async function assertNotBehind(lake: Lake, unit: Unit, { to }: UnitReading): Promise<void> {
  if (spanOf(unit.kind) !== 'blocks' || to === null) return
  for (const stored of await storedEntries(lake, unit)) {
    if (stored.to !== null && stored.to > to)
      throw new Error(`upstream head: block ${to - 1}; expected at least the stored block ${stored.to - 1}`)
  }
}

async function oldest({ rows }: UnitReading): Promise<Micros> {
  let least = Infinity
  for (const name of Object.keys(rows) as DatasetName[])
    least = Math.min(least, (await rowsUntil(name, rows[name] ?? [], null)).oldest)
  return least
}
