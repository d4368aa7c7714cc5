import type { Activities, PlanRequest, Tally } from '#activities/index.ts'
import { continueAsNew, defineQuery, proxyActivities } from '#engine'

import { handleSignals, type Control } from './control.ts'
import { emptyTally, isOutage, planPage, readPlanned } from './ingest_units.ts'

const { instant } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumAttempts: 10, maximumInterval: 2_000 },
})

/** `isUntilNow`: no end was asked for, and `to` is the instant of the request. */
export type BackfillRequest = Omit<PlanRequest, 'at'> & { isUntilNow?: boolean }

/** The progress of a backfill. `due` counts the units that were due at its first plan. */
export type Progress = Tally &
  Control &
  Pick<BackfillRequest, 'source' | 'from' | 'to' | 'isUntilNow' | 'part' | 'keys' | 'refresh' | 'acceptLoss'> & {
    due: number
  }

export const progress = defineQuery<Progress>('progress')

/** The state that a run passes to the next run. */
type ContinueState = { progress: Progress; at: number; after: string }

/**
 * Reads every due unit of an interval. It may be stopped and started again at any time: stored units are not read
 * again. A run reads one page of units and continues as a new run, unless most units failed.
 */
export async function backfill(request: BackfillRequest, begun?: ContinueState): Promise<Progress> {
  const { isUntilNow, ...planned } = request
  const { source, from, to, part, keys, refresh, acceptLoss } = planned
  const asked = {
    source,
    from,
    to,
    ...(part === undefined ? {} : { part }),
    keys,
    ...(refresh === true ? { refresh } : {}),
    ...(acceptLoss === true ? { acceptLoss } : {}),
    ...(isUntilNow === true ? { isUntilNow } : {}),
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
  const page = await planPage({ request: { ...planned, at }, after: begun?.after ?? '' })
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
