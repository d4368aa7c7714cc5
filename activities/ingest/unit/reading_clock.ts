import type { Reply } from '#activities/http/response.ts'
import type { UnitReading } from '#activities/ingest/read_unit.ts'
import { hasEnded, hasOwnWatermark, watermarkAt } from '#activities/ingest/watermark.ts'
import type { PullSource } from '#activities/source.ts'
import type { Lake } from '#lake/lake.ts'
import { storedCoverage } from '#lake/units/stored_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { isAhead, SECOND, type Clock, type Micros } from '#time.ts'

/** The latest instant that upstreams stated with the responses of a reading; null if none did. */
export type Shown = { at: Micros | null }

type Reading = { at: Micros; shown: Shown }

/**
 * Whether a unit has been read at a later instant, so that this reading must not replace it. An instant of the future
 * is that of a clock that was ahead, and does not count. It is of the future if it is so by the own clock and by that
 * of the upstream, since the own clock may be behind.
 */
export async function isOutdated(unit: Unit, { lake, clock, at, shown }: Reading & { lake: Lake; clock: Clock }) {
  const now = Math.max(clock(), shown.at ?? 0)
  return (await storedCoverage(lake, unit)).some(
    ({ state, checked_at }) => state !== 'missing' && checked_at > at && !isAhead(checked_at, now),
  )
}

/**
 * A reading whose instant lies ahead of the upstream's clock claims no more than that clock allows. Its unit stays open
 * from there on, and a later reading continues it.
 */
export function asShown(source: PullSource, unit: Unit, reading: UnitReading, { at, shown }: Reading): UnitReading {
  if (shown.at === null || !isAhead(at, shown.at)) return reading
  const { from, to, state, reason } = reading
  const of = { ...reading, checkedAt: shown.at, reason: reason === undefined ? ahead : `${reason}; ${ahead}` }
  // The end of blocks is of the chain's clock.
  if (hasOwnWatermark(source) || hasEnded(unit, watermarkAt(source, shown.at))) return of
  const end = Math.max(from, Math.min(to ?? Infinity, watermarkAt(source, shown.at).head))
  return { ...of, to: end, state: state === 'done' ? 'head' : state }
}

const ahead = "the machine's clock is ahead of the upstream's; expected the time of its Date header"

/** Notes the time of a response by its `Date` and, for that of a cache, its `Age`. Simulated worlds have their own. */
export function noteShown(shown: Shown, { headers, world }: Pick<Reply, 'headers' | 'world'>): void {
  const sent_ms = Date.parse(headers['date'] ?? '')
  if (world !== 'real' || Number.isNaN(sent_ms)) return
  const age_s = /^\d+$/.test(headers['age'] ?? '') ? Number(headers['age']) : 0
  shown.at = Math.max(shown.at ?? 0, sent_ms * 1000 + age_s * SECOND)
}
