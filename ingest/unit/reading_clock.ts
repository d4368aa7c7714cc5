import type { Reply } from '#ingest/http/response.ts'
import { withReason, type UnitReading } from '#ingest/read_unit.ts'
import type { PlannedSource } from '#ingest/source.ts'
import { hasEnded, hasOwnWatermark, watermarkAt } from '#ingest/watermark.ts'
import type { Lake } from '#lake/lake.ts'
import { storedCoverage } from '#lake/units/stored_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { isAhead, isoMicros, SECOND, type Clock, type Micros } from '#time.ts'

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
 * from there on, and a later reading continues it. An observation of an instant that has not come has no such part. It
 * throws, so that the unit is missing and is read when its instant comes.
 */
export function asShown(source: PlannedSource, unit: Unit, reading: UnitReading, { at, shown }: Reading): UnitReading {
  if (shown.at === null || !isAhead(at, shown.at)) return reading
  const { from, to, state } = reading
  if (source.unit === 'observation' && isAhead(from, shown.at))
    throw new Error(`observation of ${isoMicros(from)}: ${notCome}; expected an instant that has come`)
  const of = { ...withReason(reading, apart), checkedAt: shown.at }
  const watermark = watermarkAt(source, shown.at)
  // The end of blocks is of the chain's clock.
  if (hasOwnWatermark(source) || hasEnded(unit, watermark)) return of
  const end = Math.max(from, Math.min(to ?? Infinity, watermark.head))
  return { ...of, to: end, state: state === 'done' ? 'head' : state }
}

const notCome = "more than ten minutes ahead of the upstream's clock"

/** Which of the two is right is unknown. */
const apart = 'clocks of this machine and of the upstream: more than ten minutes apart; expected the same time'

/**
 * Notes the time of a response by its `Date` and, for that of a cache, its `Age`. Only JSON counts: static pages and
 * feeds may come from caches that keep an old `Date` and state no `Age`. Simulated worlds have clocks of their own.
 */
export function noteShown(shown: Shown, { headers, world }: Pick<Reply, 'headers' | 'world'>): void {
  const sent_ms = Date.parse(headers['date'] ?? '')
  if (world !== 'real' || Number.isNaN(sent_ms) || !isJson(headers['content-type'] ?? '')) return
  const age_s = /^\d+$/.test(headers['age'] ?? '') ? Number(headers['age']) : 0
  shown.at = Math.max(shown.at ?? 0, sent_ms * 1000 + age_s * SECOND)
}

const isJson = (type: string): boolean => /^application\/json\s*(;|$)/i.test(type)
