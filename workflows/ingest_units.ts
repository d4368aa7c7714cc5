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
 * The units of one activity, and the concurrent activities of a run for each worker: one is read while another ends.
 */
const batchUnits = 25
const batchesOfWorker = 2
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
  await readUnits(page.units, at, state, { workers: page.workers })
  if (page.isCrossChecked === true && page.units.length > 0) await crossCheck({ source })
}

/**
 * More failed units than read ones, and as many as two batches: an outage, during which every unit would wait for all
 * of its retries. A unit that is not listed is no sign of it, since its answer came at once and may stay so.
 */
export const isOutage = ({ units, failed, unlisted = 0 }: Pick<Tally, 'units' | 'failed' | 'unlisted'>): boolean =>
  failed - unlisted >= 2 * batchUnits && failed - unlisted > units

/**
 * Reads units concurrently. A failed unit is counted and does not stop other units, unless most of them fail. `workers`
 * is the number of live workers at the plan; each batch that ends has a newer one. Recorded runs without it have one.
 */
export async function readUnits(
  all: readonly Unit[],
  at: number,
  state: Tally & Control,
  { workers = 1, ...batchOptions }: Pick<Batch, 'areRequested'> & { workers?: number | undefined } = {},
): Promise<void> {
  const batches = split(all, batchUnits)
  const tried = { units: 0, failed: 0, unlisted: 0 }
  let most = batchesOfWorker * workers
  let n_running = 0
  const readBatch = async (): Promise<void> => {
    await condition(() => !state.isPaused || batches.length === 0)
    const units = batches.shift()
    if (units === undefined) return
    const rate = state.rate === null ? null : state.rate / most
    const tally = await pull({ ...batchOptions, units, at, rate })
    add(state, tally)
    tried.units += tally.units
    tried.failed += tally.failed
    tried.unlisted += tally.unlisted ?? 0
    if (isOutage(tried)) batches.splice(0)
    most = batchesOfWorker * (tally.workers ?? workers)
  }
  const work = async (): Promise<void> => {
    try {
      await readBatch()
    } catch (error) {
      batches.splice(0)
      throw error
    } finally {
      n_running -= 1
      // Several may end at once while fewer are allowed than run: the last one begins the next.
      begin()
    }
  }
  const begun: Promise<void>[] = []
  const begin = (): void => {
    while (n_running < most && batches.length > 0) {
      n_running += 1
      begun.push(work())
    }
  }
  begin()
  await untilEnded(begun)
}

/** Waits for all work, also for what begins meanwhile. It throws the first failure when the other work has ended. */
async function untilEnded(begun: readonly Promise<void>[]): Promise<void> {
  const outcomes: PromiseSettledResult<void>[] = []
  while (outcomes.length < begun.length) outcomes.push(...(await Promise.allSettled(begun.slice(outcomes.length))))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

const maxReportedFailures = 10

/** Counts a tally in that of a run. */
export const add = (state: Tally, tally: Tally): void => {
  state.units += tally.units
  state.rows += tally.rows
  state.quarantined += tally.quarantined
  state.bytes += tally.bytes
  state.failed += tally.failed
  state.failures = [...state.failures, ...tally.failures].slice(-maxReportedFailures)
  if (tally.unlisted !== undefined) state.unlisted = (state.unlisted ?? 0) + tally.unlisted
  if (tally.refused !== undefined) state.refused = (state.refused ?? 0) + tally.refused
  if (tally.empty) state.empty = [...(state.empty ?? []), ...tally.empty]
}

const split = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))

export const emptyTally: Tally = { units: 0, rows: 0, quarantined: 0, bytes: 0, failed: 0, failures: [] }
