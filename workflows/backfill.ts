import { condition, defineQuery, defineSignal, proxyActivities, setHandler } from '#engine'
import type { Activities, PlanRequest, Tally } from '#activities/index.ts'

const { instant, plan } = proxyActivities<Activities>({ startToCloseTimeout: 600_000, retry: { maximumAttempts: 3 } })
const { pull } = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: ['WorldMismatch', 'AbortError'] },
})

/** Units in one activity, and activities at once: together at most 50 units are in flight. */
const batchUnits = 25
const batchesAtOnce = 2
/**
 * Units planned at a time. Each plan looks at all that is stored, so that pages grow with what is due: the largest
 * backfill is planned about a hundred times. A page is a message of at most a megabyte.
 */
const pageUnits = { least: 500, most: 5_000, pages: 100 }

export type BackfillRequest = Omit<PlanRequest, 'at'>

/** How far a backfill has come; `due` counts the units that were to be read when it was planned first. */
export type Progress = Tally & { source: string; due: number; isPaused: boolean }

export const progress = defineQuery<Progress>('progress')
export const pause = defineSignal('pause')
export const resume = defineSignal('resume')

/**
 * Reads every unit of an interval that is due, several at once. It may be stopped at any moment and begun again: what
 * is stored is not read again. A unit that fails is counted and stops no other.
 */
export async function backfill(request: BackfillRequest): Promise<Progress> {
  const state: Progress = { ...nothing, failures: [], source: request.source, due: 0, isPaused: false }
  setHandler(progress, () => state)
  setHandler(pause, () => {
    state.isPaused = true
  })
  setHandler(resume, () => {
    state.isPaused = false
  })

  const at = await instant(request.source)
  let page = await plan({ ...request, at, after: '', limit: pageUnits.least })
  state.due = page.due
  const limit = Math.min(Math.max(Math.ceil(page.due / pageUnits.pages), pageUnits.least), pageUnits.most)
  while (page.units.length > 0) {
    const batches = split(page.units, batchUnits)
    const work = async (): Promise<void> => {
      while (batches.length > 0) {
        await condition(() => !state.isPaused || batches.length === 0)
        const units = batches.shift()
        if (units !== undefined) add(state, await pull({ units, at }))
      }
    }
    await allOrNone(Array.from({ length: batchesAtOnce }, work), () => batches.splice(0))
    page = await plan({ ...request, at, after: page.last, limit })
  }
  return state
}

/** Waits for all; when one fails, the others are told to stop, and the failure is handed on after they have. */
async function allOrNone(work: readonly Promise<void>[], stop: () => void): Promise<void> {
  const guarded = work.map((one) =>
    one.catch((error: unknown) => {
      stop()
      throw error
    }),
  )
  for (const outcome of await Promise.allSettled(guarded)) if (outcome.status === 'rejected') throw outcome.reason
}

const nothing = { units: 0, rows: 0, quarantined: 0, bytes: 0, failed: 0 }

const add = (state: Progress, tally: Tally): void => {
  state.units += tally.units
  state.rows += tally.rows
  state.quarantined += tally.quarantined
  state.bytes += tally.bytes
  state.failed += tally.failed
  state.failures = [...state.failures, ...tally.failures].slice(0, 10)
}

const split = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
