import type { Lake } from '#lake/lake.ts'
import { rowCount } from '#lake/units/column_batch.ts'
import { markUnits } from '#lake/units/mark_units.ts'
import { rowsUntil } from '#lake/units/spilled_rows.ts'
import { storedCoverage, type StoredEntry } from '#lake/units/stored_unit.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import { isAhead, type Clock, type Micros } from '#time.ts'

import type { Shown } from './http/get.ts'
import { isUnverified, type UnitReading } from './read.ts'
import type { Source } from './source.ts'
import { storedEntries } from './stored_rows.ts'

type CheckTools = {
  lake: Lake
  clock: Clock
  /** The instant of the reading. */
  at: Micros
  shown: Shown
  /** Requested keys without stored rows. */
  strangers?: ReadonlySet<string> | undefined
}

/**
 * Whether a reading may replace what is stored. `outdated`: a later reading is stored, and stays. `empty`: it is the
 * first of a requested key, and has no rows, so nothing is stored. Throws if it would lose stored rows or blocks.
 */
export async function check(
  unit: Unit,
  reading: UnitReading,
  { lake, clock, at, shown, strangers }: CheckTools,
): Promise<'sound' | 'outdated' | 'empty'> {
  const now = Math.max(clock(), shown.at ?? 0)
  if (isOutdated(await storedCoverage(lake, unit), at, now)) return 'outdated'
  if (isEmpty(reading) && (await isStranger(lake, unit, strangers))) return 'empty'
  await assertNoRowsLost(lake, unit, reading)
  await assertNotBehind(lake, unit, reading)
  return 'sound'
}

/**
 * Whether a unit has been read at a later instant, such as by another worker while this one was suspended. An instant
 * of the future is that of a clock that was ahead, and does not count. It is of the future if it is so by the clock of
 * the machine and by that of the upstream, since either may be behind.
 */
const isOutdated = (stored: readonly StoredEntry[], at: Micros, now: Micros): boolean =>
  stored.some(({ state, checked_at }) => state !== 'missing' && checked_at > at && !isAhead(checked_at, now))

/** Whether an upstream has nothing of a key, and says so in full. */
const isEmpty = ({ rows, rejected, state, isKnown }: UnitReading): boolean =>
  isKnown !== true &&
  rejected.length === 0 &&
  (state === 'head' || state === 'done' || state === 'unavailable') &&
  Object.values(rows).every((filled) => rowCount(filled) === 0)

/** Whether a unit is that of a stranger and was never stored. */
export const isStranger = async (
  lake: Lake,
  unit: Unit,
  strangers: ReadonlySet<string> | undefined,
): Promise<boolean> => strangers?.has(unit.key) === true && (await storedCoverage(lake, unit)).length === 0

/** The share of stored rows that an upstream may remove from a history, such as reverted trades. */
const removedShare = 0.01

/**
 * Throws if a reading would replace more stored rows than it has. A history only grows, so a proof of fewer rows
 * counts no more than none. A refresh replaces them, since the stored rows may be the wrong ones.
 */
async function assertNoRowsLost(lake: Lake, unit: Unit, reading: UnitReading): Promise<void> {
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
async function assertNotBehind(lake: Lake, unit: Unit, { to }: UnitReading): Promise<void> {
  if (spanOf(unit.kind) !== 'blocks' || to === null) return
  for (const stored of await storedEntries(lake, unit)) {
    if (stored.to !== null && stored.to > to)
      throw new Error(`upstream head: block ${to - 1}; expected at least the stored block ${stored.to - 1}`)
  }
}

/**
 * The number of units whose mark changed, and of those that another source contradicts. Both are zero for a source
 * without other sources of the same facts.
 */
export type CrossChecked = { marked: number; contradicted: number }

/**
 * Compares the stored units of a source with the rows of other sources, and marks them. It reads one snapshot, and
 * changes only units whose mark differs, so a repetition changes nothing.
 */
export async function crossCheck(lake: Lake, source: Source): Promise<CrossChecked> {
  if (source.kind === 'stream' || source.crossCheck === undefined) return { marked: 0, contradicted: 0 }
  const marks = await lake.read(async (reader) => (await source.crossCheck?.({ lake: reader })) ?? [])
  const changes = await markUnits(lake, marks)
  const contradicted = changes.filter(({ contradiction }) => contradiction !== null)
  return { marked: changes.length, contradicted: contradicted.length }
}
