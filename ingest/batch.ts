import { z } from 'zod'

import { unitPath, type Unit } from '#lake/units/unit.ts'
import { DiskFull, type DiskSpace } from '#storage/disk_space.ts'
import type { Micros } from '#time.ts'

import type { ActivityContext } from './heartbeat.ts'
import { createRateLimiter, type Timers } from './http/rate_limiter.ts'
import { createMemoryLimit } from './memory_limit.ts'
import type { Outcome } from './report.ts'
import type { Source } from './source.ts'
import { wayOfUnits, type WayTools } from './unit.ts'

export type Batch = {
  units: Unit[]
  at: Micros
  /** Requests in 10 seconds; null: the limit of the host. */
  rate: number | null
  /** Whether the keys of the units were requested. Requested keys that no upstream knows leave nothing in the lake. */
  areRequested?: boolean
}

type BatchTools = Omit<WayTools, 'limiter' | 'cancelled' | 'strangers'> & {
  /** The number of units that are read at once. */
  concurrency: number
  timers: Timers
  sourceOf: (name: string) => Source
  disk: () => Promise<DiskSpace>
  requests: { strangers: (keys: string[]) => Promise<string[]> }
}

/**
 * Ingests a batch. A repeated attempt skips the units that the previous one reported as done. Throws `DiskFull` before
 * the first request if the lake has no space for it, and after the units in flight if a write found none.
 */
export async function ingestBatch(
  { timers, sourceOf, disk, requests, ...tools }: BatchTools,
  { units, at, rate, areRequested = false }: Batch,
  { heartbeatDetails, heartbeat, cancelled, draining }: ActivityContext,
): Promise<Tally> {
  const { fault } = await disk()
  if (fault !== null) throw new DiskFull(fault)
  const before = batchCursor.safeParse(heartbeatDetails)
  const done = before.success ? before.data.done : []
  const tally = before.success ? before.data.tally : emptyTally()
  const report = (): void => heartbeat({ done, tally })
  report()
  const read = new Set(done)
  const left = units.filter((unit) => !read.has(unitPath(unit)))
  const strangers = new Set(areRequested ? await requests.strangers(left.map(({ key }) => key)) : [])
  const limiter =
    rate === null ? undefined : createRateLimiter({ requestsPer10s: rate, concurrency: 50 }, timers, cancelled)
  const onDone = (unit: Unit): void => {
    done.push(unitPath(unit))
    report()
  }
  const run = { ...tools, limiter, cancelled, strangers, tally, draining, onDone }
  const ingested = await ingestUnits(run, sourceOf, left, at)
  if (done.length < units.length) throw new Drained(`batch: the worker ends; ${units.length - done.length} units left`)
  return ingested
}

type UnitsTools = Omit<WayTools, 'memoryLimit' | 'clock'> &
  Partial<Pick<WayTools, 'memoryLimit' | 'clock'>> & {
    concurrency: number
    /** The tally of earlier units, to which these units are added. */
    tally?: Tally
    onDone?: (unit: Unit) => void
    /** After it aborts, no other unit begins. */
    draining?: AbortSignal | undefined
  }

/**
 * Ingests units, `concurrency` at a time. A failed unit does not stop other units. By default the clock stands at the
 * instant of the readings.
 */
export async function ingestUnits(
  { concurrency, tally = emptyTally(), onDone, draining, ...tools }: UnitsTools,
  sourceOf: (name: string) => Source,
  units: readonly Unit[],
  at: Micros,
): Promise<Tally> {
  const { ingest } = wayOfUnits({ memoryLimit: createMemoryLimit(), clock: () => at, ...tools })
  const waiting = [...units]
  const work = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      if (draining?.aborted === true) return
      count(tally, unit, await ingest(sourceOf(unit.source), unit, at))
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

/** The number of failures with a reason. More failures are counted, and their reasons are in coverage. */
const maxReportedFailures = 10

/** Adds an outcome to a tally. */
function count(tally: Tally, unit: Unit, outcome: Outcome): void {
  if (outcome === 'empty') {
    tally.units += 1
    tally.empty = [...(tally.empty ?? []), { source: unit.source, key: unit.key }]
  } else if ('failure' in outcome) {
    tally.failed += 1
    const { failure: reason, isNotListed = false, isRefused = false } = outcome
    if (isNotListed) tally.unlisted = (tally.unlisted ?? 0) + 1
    if (isRefused) tally.refused = (tally.refused ?? 0) + 1
    if (tally.failures.length < maxReportedFailures)
      tally.failures.push({ unit: unitPath(unit), reason, ...(isRefused ? { isRefused } : {}) })
  } else {
    tally.units += 1
    tally.rows += outcome.n_rows
    tally.quarantined += outcome.n_quarantined
    tally.bytes += outcome.bytes
  }
}

/** The result of reading units, as an attempt hands it to the next one. */
const tallyShape = z.object({
  units: z.number(),
  rows: z.number(),
  quarantined: z.number(),
  bytes: z.number(),
  failed: z.number(),
  /** The failed units that are known to have rows and that the upstream does not show. */
  unlisted: z.number().exactOptional(),
  /** The failed units of which a reading was refused, since it lacks stored facts. */
  refused: z.number().exactOptional(),
  /** The first failures with their reasons. */
  failures: z.array(z.object({ unit: z.string(), reason: z.string(), isRefused: z.boolean().exactOptional() })),
  /** The units of strangers without rows; only a batch of requested accounts has any. */
  empty: z.array(z.object({ source: z.string(), key: z.string() })).exactOptional(),
})
export type Tally = z.output<typeof tallyShape>

/** The key of a unit of which nothing was stored, since its upstream has no rows. */
export type EmptyKey = NonNullable<Tally['empty']>[number]

const emptyTally = (): Tally => ({ units: 0, rows: 0, quarantined: 0, bytes: 0, failed: 0, failures: [] })

/** The progress of a batch: the paths of the finished units, and their tally. */
const batchCursor = z.object({ done: z.array(z.string()), tally: tallyShape })

/** Thrown by a batch whose worker ends: another worker reads the units that are left. */
class Drained extends Error {
  override name = 'Drained'
}
