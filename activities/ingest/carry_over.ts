import type { DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { toRows } from '#lake/units/column_batch.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import type { UnitReading } from './read_unit.ts'
import { storedEntries, storedBefore, instantOf } from './stored_unit.ts'

/** A reading that is not proved to be whole. */
const isUnverified = ({ state }: UnitReading): boolean => state !== 'done' && state !== 'head'

/**
 * A reading of a life with the rows that are stored from before its own: what an upstream shows slides (the newest
 * 10,000 rows, the last three years), and what has slid out of it is kept. A reading that is proved says all there is.
 */
export async function carryOverOlderRows(lake: Lake, unit: Unit, reading: UnitReading): Promise<UnitReading> {
  if (unit.kind !== 'history' || reading.state === 'unavailable' || !isUnverified(reading)) return reading
  const stored = await storedEntries(lake, unit)
  const isCutOff = reading.from > unit.from
  const edge = isCutOff ? reading.from : oldest(reading)
  const rows = { ...reading.rows }
  let n_older = 0
  for (const { dataset, n_rows } of stored) {
    const older = n_rows === 0 ? [] : await storedBefore(lake, unit, dataset, edge)
    rows[dataset] = [...older, ...toRows(rows[dataset] ?? [])]
    n_older += older.length
  }
  if (n_older === 0) return reading
  // Rows from before a gap are kept; coverage begins after it.
  const reaching = stored.filter(({ to }) => to === null || to >= edge)
  const from = Math.min(reading.from, ...reaching.map((entry) => entry.from ?? reading.from))
  const kept = `${n_older} older ${n_older === 1 ? 'row is' : 'rows are'} kept from an earlier reading`
  return { ...reading, rows, from, reason: reading.reason === undefined ? kept : `${reading.reason}; ${kept}` }
}

/** Throws where storing a reading that is not proved would take away what is stored. */
export async function assertNoRowsLost(lake: Lake, unit: Unit, reading: UnitReading): Promise<void> {
  if (!isUnverified(reading)) return
  const reason = reading.reason ?? 'no reason'
  for (const { dataset, n_rows, to } of await storedEntries(lake, unit)) {
    if (reading.state === 'unavailable') {
      throw new Error(`the upstream says that it does not have this unit, which is stored and kept: ${reason}`)
    }
    const rows = toRows(reading.rows[dataset] ?? [])
    const n_known = rows.filter((row) => to === null || instantOf(dataset, row) < to).length
    // Of an hour less may be asked than before: its source keeps what it has of the rest.
    if (unit.kind !== 'history' || n_known >= n_rows) continue
    throw new Error(`of ${n_rows} stored ${dataset} this reading has ${n_known}, so they are kept: ${reason}`)
  }
}

/**
 * Throws where an open range of blocks would end before what is stored of it: a node behind the one that was asked
 * before is no reorganization. The unit comes again when the head is beyond what is stored.
 */
export async function assertNotBehind(lake: Lake, unit: Unit, { to }: UnitReading): Promise<void> {
  if (spanOf(unit.kind) !== 'blocks' || to === null) return
  for (const stored of await storedEntries(lake, unit)) {
    if (stored.to !== null && stored.to > to)
      throw new Error(`the upstream's head is block ${to - 1}; expected at least ${stored.to - 1}, which is stored`)
  }
}

const oldest = ({ rows }: UnitReading): Micros => {
  let least = Infinity
  for (const name of Object.keys(rows) as DatasetName[]) {
    for (const row of toRows(rows[name] ?? [])) least = Math.min(least, instantOf(name, row))
  }
  return least
}
