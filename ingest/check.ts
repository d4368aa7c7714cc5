import type { Lake } from '#lake/lake.ts'
import { rowCount } from '#lake/units/column_batch.ts'
import { markUnits } from '#lake/units/mark_units.ts'
import { storedCoverage, type StoredEntry } from '#lake/units/stored_unit.ts'
import { spanOf, type Unit } from '#lake/units/unit.ts'
import { isAhead, type Clock, type Micros } from '#time.ts'

import { guard } from './guard.ts'
import type { Shown } from './http/get.ts'
import type { UnitReading } from './read.ts'
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
 * The reading as it may replace what is stored. `outdated`: a later reading is stored, and stays. `empty`: it is the
 * first of a requested key, and has no rows, so nothing is stored. Throws if it would lose stored facts or blocks.
 */
export async function check(
  unit: Unit,
  reading: UnitReading,
  { lake, clock, at, shown, strangers }: CheckTools,
): Promise<UnitReading | 'outdated' | 'empty'> {
  const now = Math.max(clock(), shown.at ?? 0)
  if (isOutdated(await storedCoverage(lake, unit), at, now)) return 'outdated'
  if (isEmpty(reading) && (await isStranger(lake, unit, strangers))) return 'empty'
  await assertNotBehind(lake, unit, reading)
  return guard(lake, unit, reading)
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
