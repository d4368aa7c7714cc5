import { assertNoRowsLost, assertNotBehind, carryOverOlderRows } from '#ingest/carry_over.ts'
import { Aborted, untilCancelled } from '#ingest/heartbeat.ts'
import type { Http } from '#ingest/http/http.ts'
import { answerOf } from '#ingest/http/replay.ts'
import type { Get } from '#ingest/http/request.ts'
import type { MemoryLimit, Reservation } from '#ingest/memory_limit.ts'
import { readUnit, storeReading, type UnitReading } from '#ingest/read_unit.ts'
import type { Source, Watermark } from '#ingest/source.ts'
import { assertPlanned } from '#ingest/units.ts'
import { hasOwnWatermark } from '#ingest/watermark.ts'
import type { Lake } from '#lake/lake.ts'
import { dropProgress } from '#lake/raw/progress.ts'
import type { LakeReader } from '#lake/reader.ts'
import { rowCount } from '#lake/units/column_batch.ts'
import { openRaw, type RawKeeper } from '#lake/units/raw_responses.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'
import type { StoreResult } from '#lake/units/store_unit.ts'
import { storedCoverage } from '#lake/units/stored_unit.ts'
import { rawPath, type Unit } from '#lake/units/unit.ts'
import type { Clock, Micros } from '#time.ts'

import { asShown, isOutdated, noteShown, type Shown } from './reading_clock.ts'
import type { Resumed } from './resume_unit.ts'

export type PullTools = {
  lake: Lake
  http: Http
  keepRaw: boolean
  memoryLimit: MemoryLimit
  clock: Clock
  /** Characters of responses in a file of the progress of a large unit. */
  progressLength?: number
  /** After it aborts, nothing is stored. */
  cancelled?: AbortSignal | undefined
  /** Requested keys without stored rows. A response without rows for such a key stores nothing in the lake. */
  strangers?: ReadonlySet<string>
}

/**
 * The stored unit, or the reason of a failure. A failed unit gets the state `missing` and is read later. Of an `empty`
 * unit nothing is stored.
 */
export type Outcome = Stored | { failure: string; isNotListed?: boolean } | 'empty'

/** Without a state nothing was stored, since the stored unit still holds. */
type Stored = StoreResult & { state?: UnitReading['state']; reason?: string | undefined }

export type UnitTools = PullTools & { watermarkOf: (source: Source, part: string) => Promise<Watermark> }

/** One attempt to read a unit. `at` is the instant of the reading, which an earlier attempt may have begun. */
export type Attempt = UnitTools & {
  turn: Reservation
  asked: Set<string>
  at: Micros
  begun: Resumed | undefined
  shown: Shown
}

/** Reads and stores a unit, or leaves what is stored. */
export async function readAndStore(attempt: Attempt, source: Source, unit: Unit): Promise<Outcome> {
  const { lake, keepRaw, cancelled, at, begun, turn } = attempt
  const kept = keepRows(lake, turn.spill)
  let raw: RawKeeper | undefined
  try {
    const watermark =
      begun?.watermarkOf(source) ?? (await untilCancelled(attempt.watermarkOf(source, unit.part), cancelled))
    const asked_for = hasOwnWatermark(source) ? watermark : undefined
    if (keepRaw)
      raw = await openRaw(
        lake,
        { unit, at, watermark: asked_for },
        { begun: begun?.progress, most: attempt.progressLength },
      )
    const reader: LakeReader = { query: (...query) => lake.read((opened) => opened.query(...query)) }
    const get = getOf(attempt, assertPlanned(source).reparse === undefined ? raw : undefined)
    const reading = readUnit(assertPlanned(source), unit, { get, at, watermark, reader, lake, kept })
    const read = await untilCancelled(reading, cancelled)
    if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
    begun?.assertUsed()
    const outcome = await store(attempt, unit, {
      read: read && asShown(assertPlanned(source), unit, read, attempt),
      raw,
    })
    if (raw?.hasProgress() === true) await dropProgress(lake, unit)
    return outcome
  } finally {
    await raw?.close()
    await kept.close()
  }
}

type Read = { read: UnitReading | undefined; raw: RawKeeper | undefined }

async function store(attempt: Attempt, unit: Unit, { read, raw }: Read): Promise<Outcome> {
  const { lake, strangers, asked } = attempt
  if (read === undefined) return nothing
  // A worker that was suspended may have an older reading than another worker has stored.
  if (await isOutdated(unit, attempt)) return nothing
  if (isEmpty(read) && (await isStranger(lake, unit, strangers))) return 'empty'
  for (const body of read.bodies ?? []) await raw?.keep(replyOf(body, asked))
  const reading = await carryOverOlderRows(lake, unit, read)
  await assertNoRowsLost(lake, unit, reading)
  await assertNotBehind(lake, unit, reading)
  // Raw responses of an earlier reading are removed, since a reparse would restore their rows.
  await (raw === undefined ? lake.storage.delete(rawPath(unit)) : raw.store())
  const stored = await storeReading(lake, unit, reading, [...asked])
  return { ...stored, state: reading.state, reason: reading.reason }
}

/** Asks the upstream, after the responses of an earlier attempt. */
function getOf({ lake, http, cancelled, turn, asked, begun, shown }: Attempt, raw: RawKeeper | undefined): Get {
  return async (request, shape) => {
    await turn.waitForRoom()
    const known = await begun?.take(request)
    if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
    if (known !== undefined) {
      turn.reserve(known.body.length)
      asked.add(known.host)
      return answerOf(known, request, shape)
    }
    await begun?.assertUnchanged(http)
    return http(request, shape, async ({ headers, sent: _, world, asked: names, ...reply }) => {
      if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
      turn.reserve(reply.body.length)
      for (const name of names) asked.add(name)
      noteShown(shown, { headers, world })
      await lake.claim(world)
      await raw?.keep(reply)
    })
  }
}

const nothing: Stored = { n_rows: 0, n_quarantined: 0, bytes: 0 }

/** Whether a unit is that of a stranger and was never stored. */
export const isStranger = async (
  lake: Lake,
  unit: Unit,
  strangers: ReadonlySet<string> | undefined,
): Promise<boolean> => strangers?.has(unit.key) === true && (await storedCoverage(lake, unit)).length === 0

/** Whether an upstream has nothing of a key, and says so in full. */
const isEmpty = ({ rows, rejected, state }: UnitReading): boolean =>
  rejected.length === 0 &&
  (state === 'head' || state === 'done' || state === 'unavailable') &&
  Object.values(rows).every((one) => rowCount(one) === 0)

/** A body that a source made from the responses of several hosts. */
const replyOf = (body: string, asked: ReadonlySet<string>) => ({
  host: [...asked].sort().join(),
  path: '',
  query: '',
  status: 200,
  body,
})
