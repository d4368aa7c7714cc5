import { HttpError, type Http } from '#activities/http/http.ts'
import type { Get } from '#activities/http/request.ts'
import type { Source, Watermark } from '#activities/source.ts'
import { WorldMismatch, type Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { rowCount } from '#lake/units/column_batch.ts'
import { openRaw, type RawKeeper } from '#lake/units/raw_responses.ts'
import { storeFailure, type StoreResult } from '#lake/units/store_unit.ts'
import { storedCoverage } from '#lake/units/stored_unit.ts'
import { rawPath, unitPath, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { assertNoRowsLost, assertNotBehind, carryOverOlderRows } from './carry_over.ts'
import { Aborted, untilCancelled } from './heartbeat.ts'
import { createMemoryLimit, type MemoryLimit } from './memory_limit.ts'
import { readUnit, storeReading, type UnitReading } from './read_unit.ts'
import { assertPulled, partOf } from './units.ts'
import { hasOwnWatermark, watermarkOf } from './watermark.ts'

type PullTools = {
  lake: Lake
  http: Http
  keepRaw: boolean
  memoryLimit: MemoryLimit
  /** After it aborts, nothing is stored. */
  cancelled?: AbortSignal | undefined
  /** Keys without stored rows that somebody asked for. Of them an answer without rows leaves nothing in the lake. */
  strangers?: ReadonlySet<string>
}

/**
 * The stored unit, or the reason of a failure. A failed unit gets the state `missing` and is read later. Of an `empty`
 * unit nothing is stored.
 */
type Outcome = StoreResult | { failure: string } | 'empty'

/** The key of a unit of which nothing was stored, since its upstream has no rows. */
export type EmptyKey = { source: string; key: string }

/** The result of reading units. */
export type Tally = {
  units: number
  rows: number
  quarantined: number
  bytes: number
  failed: number
  /** The first failures with their reasons. */
  failures: { unit: string; reason: string }[]
  /** The units of strangers without rows; only a batch of requested accounts has any. */
  empty?: EmptyKey[]
}

/** The number of failures with a reason. More failures are counted, and their reasons are in coverage. */
const maxReportedFailures = 10

export const emptyTally = (): Tally => ({ units: 0, rows: 0, quarantined: 0, bytes: 0, failed: 0, failures: [] })

/** Reads units, `concurrency` at a time. A failed unit does not stop other units. */
export async function pullAll(
  {
    concurrency,
    memoryLimit = createMemoryLimit(),
    tally = emptyTally(),
    onDone,
    ...rest
  }: Omit<PullTools, 'memoryLimit'> & {
    memoryLimit?: MemoryLimit
    concurrency: number
    /** The tally of earlier units, to which these units are added. */
    tally?: Tally
    onDone?: (unit: Unit) => void
  },
  sourceOf: (name: string) => Source,
  units: readonly Unit[],
  at: Micros,
): Promise<Tally> {
  const tools = { ...rest, memoryLimit, watermarkOf: watermarksOf(rest.http, at) }
  const waiting = [...units]
  const work = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      const outcome = await pullUnit(tools, sourceOf(unit.source), unit, at)
      if (outcome === 'empty') {
        tally.units += 1
        tally.empty = [...(tally.empty ?? []), { source: unit.source, key: unit.key }]
      } else if ('failure' in outcome) {
        tally.failed += 1
        if (tally.failures.length < maxReportedFailures)
          tally.failures.push({ unit: unitPath(unit), reason: outcome.failure })
      } else {
        tally.units += 1
        tally.rows += outcome.n_rows
        tally.quarantined += outcome.n_quarantined
        tally.bytes += outcome.bytes
      }
      onDone?.(unit)
    }
  }
  const guarded = Array.from({ length: concurrency }, () =>
    work().catch((error: unknown) => {
      waiting.length = 0
      throw error
    }),
  )
  // A fatal error is thrown after the running units have ended, so that nothing is stored after the throw.
  for (const outcome of await Promise.allSettled(guarded)) if (outcome.status === 'rejected') throw outcome.reason
  return tally
}

/** The watermarks of parts. Each watermark is read once. */
function watermarksOf(http: Http, at: Micros): (source: Source, part: string) => Promise<Watermark> {
  const asked = new Map<string, Promise<Watermark>>()
  return (source, part) => {
    const key = `${source.name}/${part}`
    const get: Get = (request, shape) => http(request, shape)
    const watermark =
      asked.get(key) ?? Promise.resolve(watermarkOf(assertPulled(source), partOf(source, part), { get, at }))
    asked.set(key, watermark)
    return watermark
  }
}

type UnitTools = PullTools & { watermarkOf: (source: Source, part: string) => Promise<Watermark> }

/** Reads a unit from its upstream, and stores it with its raw responses. */
async function pullUnit(
  { lake, http, keepRaw, memoryLimit, cancelled, strangers, ...tools }: UnitTools,
  source: Source,
  unit: Unit,
  at: Micros,
): Promise<Outcome> {
  let raw: RawKeeper | undefined
  const turn = memoryLimit.acquire()
  const asked = new Set<string>()
  const keepsBodies = assertPulled(source).reparse !== undefined
  const get: Get = async (request, shape) => {
    await turn.waitForRoom()
    return http(request, shape, async ({ headers: _, world, asked: names, ...reply }) => {
      if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
      turn.reserve(reply.body.length)
      for (const name of names) asked.add(name)
      await lake.claim(world)
      if (!keepsBodies) await raw?.keep(reply)
    })
  }
  try {
    const watermark = await untilCancelled(tools.watermarkOf(source, unit.part), cancelled)
    const asked_for = hasOwnWatermark(source) ? watermark : undefined
    if (keepRaw) raw = await openRaw(lake, { unit, at, watermark: asked_for })
    const reader: LakeReader = { query: (...query) => lake.read((opened) => opened.query(...query)) }
    const read = await untilCancelled(
      readUnit(assertPulled(source), unit, { get, at, watermark, reader, lake }),
      cancelled,
    )
    if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
    if (read === undefined) {
      raw?.close()
      return nothing
    }
    // A worker that was suspended may have an older reading than another worker has stored.
    if (await isOutdated(lake, unit, at)) {
      raw?.close()
      return nothing
    }
    if (isEmpty(read) && (await isStranger(lake, unit, strangers))) {
      raw?.close()
      return 'empty'
    }
    for (const body of read.bodies ?? []) await raw?.keep(replyOf(body, asked))
    const reading = await carryOverOlderRows(lake, unit, read)
    await assertNoRowsLost(lake, unit, reading)
    await assertNotBehind(lake, unit, reading)
    // Raw responses of an earlier reading are removed, since a reparse would restore their rows.
    await (raw === undefined ? lake.storage.delete(rawPath(unit)) : raw.store())
    return await storeReading(lake, unit, reading, [...asked])
  } catch (error) {
    raw?.close()
    // The wrong lake and the end of the run are no failures of the unit.
    if (error instanceof WorldMismatch || (error instanceof Error && error.name === 'AbortError')) throw error
    const failure = error instanceof Error ? error.message : String(error)
    if (error instanceof HttpError) for (const name of error.asked) asked.add(name)
    // The request of a stranger stays in its queue, so the lake need not remember it.
    if (await isStranger(lake, unit, strangers)) return { failure }
    const { datasets, precedence } = source
    await storeFailure(lake, unit, { datasets, precedence, reason: failure, asked: [...asked].sort(), checkedAt: at })
    return { failure }
  } finally {
    turn.release()
  }
}

const nothing: StoreResult = { n_rows: 0, n_quarantined: 0, bytes: 0 }

/** Whether a unit is that of a stranger and was never stored. */
const isStranger = async (lake: Lake, unit: Unit, strangers: ReadonlySet<string> | undefined): Promise<boolean> =>
  strangers?.has(unit.key) === true && (await storedCoverage(lake, unit)).length === 0

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

/** Whether a unit has been read at a later instant. */
const isOutdated = async (lake: Lake, unit: Unit, at: Micros): Promise<boolean> =>
  (await storedCoverage(lake, unit)).some(({ state, checked_at }) => state !== 'missing' && checked_at > at)
