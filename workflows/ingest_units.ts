import type { Activities, Batch, Plan, PlanRequest, Tally } from '#activities/index.ts'
import { condition, proxyActivities } from '#engine'
import type { Unit } from '#lake/units/unit.ts'

import type { Control } from './control.ts'

const { plan } = proxyActivities<Activities>({
  startToCloseTimeout: 600_000,
  heartbeatTimeout: 10_000,
  retry: {
    maximumAttempts: 10,
    maximumInterval: 2_000,
    nonRetryableErrorTypes: ['WorldMismatch', 'UnknownSource', 'DeepReorganization', 'DiskFull'],
  },
})
const { pull } = proxyActivities<Activities>({
  // At a low rate a batch of large markets takes hours. Heartbeats show that its worker is alive.
  startToCloseTimeout: 86_400_000,
  heartbeatTimeout: 10_000,
  // The death of a worker also uses up an attempt. Its stored units are not read again.
  retry: {
    maximumAttempts: 30,
    maximumInterval: 10_000,
    nonRetryableErrorTypes: ['WorldMismatch', 'AbortError', 'UnknownSource', 'DiskFull'],
  },
})
const { crossCheck } = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  retry: { maximumAttempts: 10, maximumInterval: 10_000, nonRetryableErrorTypes: ['DiskFull'] },
})

/**
 * The units of one activity, and the concurrent activities. At most 50 units are in flight, and at most two workers
 * share the rate of one upstream.
 */
const batchUnits = 25
const batchesAtOnce = 2
/** The units of one page, and so of one run. It holds the history of a run far below Temporal's limits. */
const pageUnits = 1_900

/** A request for the page of units after a path. */
export type Page = { request: PlanRequest; after: string }
/** The units of a page, and whether it is the last one. */
export type Planned = Plan & { isLast: boolean }

/** Plans one page of the due units of a source. */
export async function planPage({ request, after }: Page): Promise<Planned> {
  const page = await plan({ ...request, after, limit: pageUnits })
  return { ...page, isLast: page.units.length === page.due }
}

/**
 * Reads the units of a page, and then compares the source with others that have the same facts, if it is compared. A
 * page without units changes nothing.
 */
export async function readPlanned(
  { source, page, at }: { source: string; page: Planned; at: number },
  state: Tally & Control,
): Promise<void> {
  await readUnits(page.units, at, state)
  if (page.isCrossChecked === true && page.units.length > 0) await crossCheck({ source })
}

/**
 * More failed units than read ones, and as many as two batches: an outage, during which every unit would wait for all of
 * its retries. A unit that is not listed is no sign of it, since its answer came at once and may stay so.
 */
export const isOutage = ({ units, failed, unlisted = 0 }: Pick<Tally, 'units' | 'failed' | 'unlisted'>): boolean =>
  failed - unlisted >= 2 * batchUnits && failed - unlisted > units

/** Reads units concurrently. A failed unit is counted and does not stop other units, unless most of them fail. */
export async function readUnits(
  all: readonly Unit[],
  at: number,
  state: Tally & Control,
  of: Pick<Batch, 'areRequested'> = {},
): Promise<void> {
  const batches = split(all, batchUnits)
  const tried = { units: 0, failed: 0, unlisted: 0 }
  const work = async (): Promise<void> => {
    while (batches.length > 0) {
      await condition(() => !state.isPaused || batches.length === 0)
      const units = batches.shift()
      if (units === undefined) return
      const rate = state.rate === null ? null : state.rate / batchesAtOnce
      const tally = await pull({ ...of, units, at, rate })
      add(state, tally)
      tried.units += tally.units
      tried.failed += tally.failed
      tried.unlisted += tally.unlisted ?? 0
      if (isOutage(tried)) batches.splice(0)
    }
  }
  await allOrNone(Array.from({ length: batchesAtOnce }, work), () => batches.splice(0))
}

/** Waits for all work. After a failure it calls `stop`, and throws the failure when the other work has ended. */
async function allOrNone(work: readonly Promise<void>[], stop: () => void): Promise<void> {
  const guarded = work.map((one) =>
    one.catch((error: unknown) => {
      stop()
      throw error
    }),
  )
  for (const outcome of await Promise.allSettled(guarded)) if (outcome.status === 'rejected') throw outcome.reason
}

const maxReportedFailures = 10

const add = (state: Tally, tally: Tally): void => {
  state.units += tally.units
  state.rows += tally.rows
  state.quarantined += tally.quarantined
  state.bytes += tally.bytes
  state.failed += tally.failed
  state.failures = [...state.failures, ...tally.failures].slice(-maxReportedFailures)
  if (tally.unlisted !== undefined) state.unlisted = (state.unlisted ?? 0) + tally.unlisted
  if (tally.empty) state.empty = [...(state.empty ?? []), ...tally.empty]
}

const split = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

export const emptyTally: Tally = { units: 0, rows: 0, quarantined: 0, bytes: 0, failed: 0, failures: [] }
