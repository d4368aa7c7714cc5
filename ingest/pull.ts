import type { z } from 'zod'

import { unitPath, type Unit } from '#lake/units/unit.ts'
import type { Clock, Micros } from '#time.ts'

import type { tallyShape } from './heartbeat.ts'
import type { Http } from './http/http.ts'
import type { Get } from './http/request.ts'
import { createMemoryLimit, type MemoryLimit } from './memory_limit.ts'
import type { Source, Watermark } from './source.ts'
import type { PullTools } from './unit/read_and_store.ts'
import { pullReported, type UnitLog } from './unit/report_unit.ts'
import { assertPlanned, partOf } from './units.ts'
import { watermarkOf } from './watermark.ts'

/** The result of reading units. */
export type Tally = z.output<typeof tallyShape>

/** The key of a unit of which nothing was stored, since its upstream has no rows. */
export type EmptyKey = NonNullable<Tally['empty']>[number]

/** The number of failures with a reason. More failures are counted, and their reasons are in coverage. */
const maxReportedFailures = 10

export const emptyTally = (): Tally => ({ units: 0, rows: 0, quarantined: 0, bytes: 0, failed: 0, failures: [] })

/** Reads units, `concurrency` at a time. A failed unit does not stop other units. */
export async function pullAll(
  {
    concurrency,
    memoryLimit = createMemoryLimit(),
    clock = () => at,
    tally = emptyTally(),
    onDone,
    draining,
    ...rest
  }: Omit<PullTools, 'memoryLimit' | 'clock'> & {
    memoryLimit?: MemoryLimit
    /** By default it stands at the instant of the readings. */
    clock?: Clock
    concurrency: number
    /** The tally of earlier units, to which these units are added. */
    tally?: Tally
    onDone?: (unit: Unit) => void
    log?: UnitLog | undefined
    /** After it aborts, no other unit begins. */
    draining?: AbortSignal | undefined
  },
  sourceOf: (name: string) => Source,
  units: readonly Unit[],
  at: Micros,
): Promise<Tally> {
  const tools = { ...rest, memoryLimit, clock, watermarkOf: watermarksOf(rest.http, at) }
  const waiting = [...units]
  const work = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      if (draining?.aborted === true) return
      const outcome = await pullReported(tools, sourceOf(unit.source), unit, at)
      if (outcome === 'empty') {
        tally.units += 1
        tally.empty = [...(tally.empty ?? []), { source: unit.source, key: unit.key }]
      } else if ('failure' in outcome) {
        tally.failed += 1
        if (outcome.isNotListed === true) tally.unlisted = (tally.unlisted ?? 0) + 1
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
      asked.get(key) ?? Promise.resolve(watermarkOf(assertPlanned(source), partOf(source, part), { get, at }))
    asked.set(key, watermark)
    return watermark
  }
}
