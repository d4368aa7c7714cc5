import type { Activities, PlanRequest, Tally } from '#activities/index.ts'
import { continueAsNew, defineQuery, proxyActivities } from '#engine'

import { handleSignals, type Control } from './control.ts'
import { emptyTally, isOutage, planPage, readPlanned } from './ingest_units.ts'

const { instant } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumAttempts: 10, maximumInterval: 2_000 },
})

export type BackfillRequest = Omit<PlanRequest, 'at'>

/** The progress of a backfill. `due` counts the units that were due at its first plan. */
export type Progress = Tally &
  Control & { source: string; from: number; to: number; part?: string; keys: string[]; refresh?: boolean; due: number }

export const progress = defineQuery<Progress>('progress')

/** The state that a run passes to the next run. */
type ContinueState = { progress: Progress; at: number; after: string }

/**
 * Reads every due unit of an interval. It may be stopped and started again at any time: stored units are not read
 * again. A run reads one page of units and continues as a new run, unless most units failed.
 */
export async function backfill(request: BackfillRequest, begun?: ContinueState): Promise<Progress> {
  const { source, from, to, part, keys, refresh } = request
  const asked = {
    source,
    from,
    to,
    ...(part === undefined ? {} : { part }),
    keys,
    ...(refresh === true ? { refresh } : {}),
  }
  const state = begun?.progress ?? {
    ...emptyTally,
    ...asked,
    due: 0,
    isPaused: false,
    rate: null,
  }
  handleSignals(state)
  const at = begun?.at ?? (await instant(source))
  const page = await planPage({ request: { ...request, at }, after: begun?.after ?? '' })
  const { last, due, isLast, failures = [] } = page
  if (begun === undefined) {
    state.due = due
    // Parts that could not be planned. Their units are not due in this run; the next backfill plans them again.
    state.failed += failures.length
    state.failures = [...state.failures, ...failures.slice(0, 10)]
  }
  await readPlanned({ source, page, at }, state)
  if (isOutage(state)) return state
  return isLast ? state : continueAsNew<typeof backfill>(request, { progress: state, at, after: last })
}
