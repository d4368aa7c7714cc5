import type { Lake } from '#lake/lake.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { DiskFull, type DiskSpace } from '#storage/disk_space.ts'
import type { Clock, Micros } from '#time.ts'

import { batchCursor, Drained, withRateLimit, type ActivityContext } from './heartbeat.ts'
import type { Http } from './http/http.ts'
import type { Timers } from './http/rate_limiter.ts'
import type { MemoryLimit } from './memory_limit.ts'
import { emptyTally, pullAll, type Tally } from './pull.ts'
import type { Source } from './source.ts'
import type { UnitLog } from './unit/report_unit.ts'

export type Batch = {
  units: Unit[]
  at: Micros
  /** Requests in 10 seconds; null: the limit of the host. */
  rate: number | null
  /** Whether the keys of the units were requested. Requested keys that no upstream knows leave nothing in the lake. */
  areRequested?: boolean
}

type BatchTools = {
  lake: Lake
  http: Http
  keepRaw: boolean
  concurrency: number
  memoryLimit: MemoryLimit
  clock: Clock
  timers: Timers
  sourceOf: (name: string) => Source
  disk: () => Promise<DiskSpace>
  requests: { strangers: (keys: string[]) => Promise<string[]> }
  log?: UnitLog | undefined
}

/**
 * Pulls a batch. A repeated attempt skips the units that the previous one reported as done. Throws `DiskFull` before
 * the first request if the lake has no space for it, and after the units in flight if a write found none.
 */
export async function pullBatch(
  tools: BatchTools,
  { units, at, rate, areRequested = false }: Batch,
  context: ActivityContext,
): Promise<Tally> {
  const { http, timers, sourceOf, disk, requests, ...rest } = tools
  const { fault } = await disk()
  if (fault !== null) throw new DiskFull(fault)
  const before = batchCursor.safeParse(context.heartbeatDetails)
  const done = before.success ? before.data.done : []
  const tally = before.success ? before.data.tally : emptyTally()
  const report = (): void => context.heartbeat({ done, tally })
  report()
  const known = new Set(done)
  const left = units.filter((unit) => !known.has(unitPath(unit)))
  const { cancelled, draining } = context
  const strangers = new Set(areRequested ? await requests.strangers(left.map(({ key }) => key)) : [])
  const own = { ...rest, cancelled, http: withRateLimit(http, { rate, cancelled, clock: timers }) }
  const pulled = await pullAll(
    {
      ...own,
      strangers,
      tally,
      draining,
      onDone: (unit) => {
        done.push(unitPath(unit))
        report()
      },
    },
    sourceOf,
    left,
    at,
  )
  if (done.length < units.length) throw new Drained(`batch: the worker ends; ${units.length - done.length} units left`)
  return pulled
}
