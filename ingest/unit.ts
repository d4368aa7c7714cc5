import { WorldMismatch, type Lake } from '#lake/lake.ts'
import { withoutFuture } from '#lake/present_coverage.ts'
import { dropProgress } from '#lake/raw/progress.ts'
import type { RawReading } from '#lake/raw/reading.ts'
import type { LakeReader } from '#lake/reader.ts'
import { dropRaw, openRaw, type RawKeeper } from '#lake/units/raw_responses.ts'
import { keepRows, type RowKeeper } from '#lake/units/spilled_rows.ts'
import { storeFailure, storeRefusal } from '#lake/units/store_unit.ts'
import { faultyUnits } from '#lake/units/stored_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { isOfFullDisk } from '#storage/disk_space.ts'
import type { Clock, Micros } from '#time.ts'

import { carryOver } from './carry_over.ts'
import { check, isStranger } from './check.ts'
import { Refused } from './guard.ts'
import { Aborted, untilCancelled } from './heartbeat.ts'
import { runGet, unitGet, type RunHttp } from './http/get.ts'
import { HttpError } from './http/http.ts'
import type { MemoryLimit, Reservation } from './memory_limit.ts'
import { plan, type PlannedUnits, type PlanRequest } from './plan.ts'
import { read } from './read.ts'
import { reportOf, type Outcome, type UnitLog } from './report.ts'
import { isResumable, resumeUnit, type Resumed } from './resume.ts'
import type { PlannedSource, Source, Watermark } from './source.ts'
import { store } from './store.ts'
import { assertPlanned, NotListed, partOf } from './units.ts'
import { hasOwnWatermark, watermarkOf } from './watermark.ts'

export type WayTools = RunHttp & {
  lake: Lake
  clock: Clock
  keepRaw: boolean
  memoryLimit: MemoryLimit
  /** Lists the addresses that callers follow. By default there are none. */
  followed?: () => Promise<string[]>
  /** Characters of responses in a file of the progress of a large unit. */
  progressLength?: number
  /** Requested keys without stored rows. A response without rows for such a key stores nothing in the lake. */
  strangers?: ReadonlySet<string>
  log?: UnitLog | undefined
}

/**
 * The way of a unit: plan -> read -> carry over -> check -> store, one file of this folder each. A workflow takes the
 * due units page by page, and hands them back in batches. `due` and `ingest` may thus run in two processes. After the
 * death of either, the next plan has the units that are not stored.
 *
 * The files that a unit of `polymarket_trades` enters from its plan to its commit, each once:
 *
 *   plan        ingest/plan.ts  ingest/unit.ts
 *   read        ingest/read.ts  polymarket_trades.ts  wire/paging.ts  markets/follow_pages.ts
 *     request   ingest/http/get.ts  http.ts  rate_limiter.ts  attempt.ts  lake/units/raw_responses.ts
 *     rows      wire/match_takers.ts  lake/units/spilled_rows.ts
 *   carry over  ingest/carry_over.ts
 *   check       ingest/check.ts  ingest/guard.ts
 *   store       ingest/store.ts  lake/units/store_unit.ts  write_rows.ts  lake/catalog/commit_units.ts
 *
 * Files of shapes, formats and keys are left out, such as `parse/rows.ts`, `secrets.ts` and `write_parquet.ts`.
 */
export function wayOfUnits(tools: WayTools) {
  const { lake, clock, cancelled, followed = async () => [] } = tools
  const watermarkAt = openWatermarks(tools)

  const due = (source: Source, request: PlanRequest): Promise<PlannedUnits> =>
    lake.read((reader) => {
      const faultyOf = (part: Pick<Unit, 'source' | 'part'>) => faultyUnits(lake, part)
      const planning = { lake: withoutFuture(reader, clock()), get: runGet(tools), followed, faultyOf }
      return untilCancelled(plan(source, request, planning), cancelled)
    })

  const attempt = async (source: PlannedSource, unit: Unit, { at, begun, turn, asked, onSent }: Attempt) => {
    const watermark =
      begun?.watermarkOf(source) ?? (await untilCancelled(watermarkAt(source, unit.part, at), cancelled))
    const raw = await rawOf(tools, source, { unit, at, watermark }, begun)
    return withKeepers(lake, { unit, raw, turn }, async (kept): Promise<Outcome> => {
      const shown = { at: null }
      const keptRaw = source.reparse === undefined ? raw : undefined
      const get = unitGet({ ...tools, turn, asked, shown, begun, raw: keptRaw, onSent })
      const reader: LakeReader = { query: (...query) => lake.read((opened) => opened.query(...query)) }
      const readTools = { get, at, watermark, reader, lake, kept, shown }
      const reading = await untilCancelled(read(source, unit, readTools), cancelled)
      if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
      begun?.assertUsed()
      if (reading === undefined) return nothing
      const whole = await carryOver(lake, unit, reading)
      const checked = await check(unit, whole, { ...tools, at, shown })
      if (checked === 'empty' || checked === 'outdated') return checked === 'empty' ? 'empty' : nothing
      const stored = await store(lake, unit, checked, { asked, raw })
      return { ...stored, state: checked.state, reason: checked.reason }
    })
  }

  /** Reads a unit from its upstream, and stores it with its raw responses. A failure gives the unit `missing`. */
  const ingest = async (source: Source, unit: Unit, at: Micros): Promise<Outcome> => {
    const begun_ms = tools.log?.now_ms() ?? 0
    let requests = 0
    const asked = new Set<string>()
    const onSent = (n: number): void => void (requests += n)
    const outcome = await recovered(tools, assertPlanned(source), { unit, at, asked }, (turn, begun) =>
      attempt(assertPlanned(source), unit, { at: begun?.reading.at ?? at, begun, turn, asked, onSent }),
    )
    const seconds = Math.round((tools.log?.now_ms() ?? 0) - begun_ms) / 1_000
    tools.log?.write(reportOf(unit, outcome, { requests, seconds }))
    return outcome
  }
  return { due, ingest }
}

/** One attempt to read a unit. `at` is the instant of the reading, which an earlier attempt may have begun. */
type Attempt = {
  at: Micros
  begun: Resumed | undefined
  turn: Reservation
  asked: Set<string>
  onSent: (n: number) => void
}

/** Nothing is stored, since what is stored still holds. */
const nothing: Outcome = { n_rows: 0, n_quarantined: 0, bytes: 0 }

/** Where the raw responses of an attempt go. A source with `reparse` stores bodies in place of responses. */
async function rawOf(
  { lake, keepRaw, progressLength }: WayTools,
  source: PlannedSource,
  { unit, at, watermark }: RawReading & { watermark: Watermark },
  begun: Resumed | undefined,
): Promise<RawKeeper> {
  // The raw responses of an earlier reading are removed, since a reparse would restore their rows.
  if (!keepRaw) return dropRaw(lake, unit)
  const reading = { unit, at, watermark: hasOwnWatermark(source) ? watermark : undefined }
  return openRaw(lake, reading, { begun: begun?.progress, most: progressLength })
}

/** Gives an attempt its keeper of rows, and closes the keepers. The progress of an attempt that ended is removed. */
async function withKeepers(
  lake: Lake,
  { unit, raw, turn }: { unit: Unit; raw: RawKeeper; turn: Reservation },
  work: (kept: RowKeeper) => Promise<Outcome>,
): Promise<Outcome> {
  const kept = keepRows(lake, turn.spill)
  try {
    const outcome = await work(kept)
    if (raw.hasProgress()) await dropProgress(lake, unit)
    return outcome
  } finally {
    await raw.close()
    await kept.close()
  }
}

/**
 * The outcome of the attempts to read a unit. A reading that was killed or failed for a fault of the network or of the
 * machine continues where it was; after any other failure it begins anew.
 */
async function recovered(
  { lake, keepRaw, memoryLimit, strangers }: WayTools,
  source: PlannedSource,
  { unit, at, asked }: { unit: Unit; at: Micros; asked: Set<string> },
  attempt: (turn: Reservation, begun?: Resumed) => Promise<Outcome>,
): Promise<Outcome> {
  const turn = memoryLimit.acquire()
  const canResume = keepRaw && source.reparse === undefined
  try {
    const begun = canResume ? await resumeUnit(lake, unit, at) : undefined
    if (begun === undefined) return await attempt(turn)
    try {
      return await attempt(turn, begun)
    } catch (error) {
      if (isResumable(error)) throw error
      await dropProgress(lake, unit)
      turn.spill()
      return await attempt(turn)
    }
  } catch (error) {
    // The wrong lake, a full disk and the end of the run are no failures of the unit.
    const isOfRun = error instanceof Error && error.name === 'AbortError'
    if (error instanceof WorldMismatch || isOfFullDisk(error) || isOfRun) throw error
    if (canResume && !isResumable(error)) await dropProgress(lake, unit)
    const failure = error instanceof Error ? error.message : String(error)
    for (const name of askedBefore(error)) asked.add(name)
    // The request of a stranger stays in its queue, so the lake need not remember it.
    if (await isStranger(lake, unit, strangers)) return { failure }
    if (error instanceof Refused) {
      await storeRefusal(lake, unit, { reason: failure, gaps: error.gaps })
      return { failure, isRefused: true }
    }
    const { datasets, precedence } = source
    await storeFailure(lake, unit, { datasets, precedence, reason: failure, asked: [...asked].sort(), checkedAt: at })
    return { failure, isNotListed: error instanceof NotListed }
  } finally {
    turn.release()
  }
}

/** The hosts that were asked before an error. */
function askedBefore(error: unknown): readonly string[] {
  const cause = error instanceof NotListed ? error.cause : error
  return cause instanceof HttpError ? cause.asked : []
}

/** The watermarks of parts. Each watermark is read once. */
function openWatermarks(tools: RunHttp): (source: PlannedSource, part: string, at: Micros) => Promise<Watermark> {
  const asked = new Map<string, Promise<Watermark>>()
  const get = runGet(tools)
  return (source, part, at) => {
    const key = `${source.name}/${part}/${at}`
    const watermark = asked.get(key) ?? Promise.resolve(watermarkOf(source, partOf(source, part), { get, at }))
    asked.set(key, watermark)
    return watermark
  }
}
