import type { Activities } from '#activities/index.ts'
import { continueAsNew, proxyActivities, sleep } from '#engine'

import { handleSignals, waitWhilePaused } from './control.ts'
import { begin, noteFailure, noteUnits, restAfterFailure, type FollowRequest, type Following } from './follow_state.ts'
import { readStream } from './follow_stream.ts'
import { planPage, readPlanned } from './ingest_units.ts'

const { tick } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumInterval: 10_000 },
})

/**
 * A source in a round: its instant, and the path after which its units are still to be read. `begun`: the units that
 * the follow had read and failed to read before; absent in runs of an earlier version.
 */
type Reading = { source: string; at: number; after: string; begun?: { units: number; failed: number } }
/** `failedBefore`: the failed units before the round; absent between rounds, and in runs of an earlier version. */
type ContinueState = { state: Following; left: Reading[]; failedBefore?: number }

/**
 * Limits of one run: polls of the clock, also polls without due units, and units read. They hold the history of a run
 * far below Temporal's limits. A round that fills a page ends the run at once.
 */
const maxPollsPerRun = 50
const maxUnitsPerRun = 1_900

/**
 * Follows one part of a group of sources without end. A round closes units that an earlier round left open, whatever
 * their age. A follow that is behind skips past instants. A failed round is retried after a pause, and does not affect
 * other parts.
 */
export async function follow(request: FollowRequest, begun?: ContinueState): Promise<never> {
  const state = begun?.state ?? begin(request)
  handleSignals(state)
  if (request.isStream === true) {
    await readStream(request, state)
    return continueAsNew<typeof follow>(request, { state, left: [] })
  }
  let left = begun?.left ?? []
  let failedBefore = begun?.failedBefore ?? state.failed
  const tried = (): number => state.units + state.failed
  const before = tried()
  for (let polls = 0; polls < maxPollsPerRun && tried() - before < maxUnitsPerRun; polls += 1) {
    await waitWhilePaused(state)
    if (left.length === 0) {
      const { reached, failing = {} } = state
      const { due, wait_ms } = await tick({ sources: request.sources, part: request.part, reached, failing })
      if (due.length === 0) {
        await sleep(wait_ms)
        continue
      }
      left = due.map(({ source, at }) => ({ source, at, after: '' }))
      failedBefore = state.failed
    }
    const outcome = await readRound(request, state, { left, failedBefore })
    if (outcome === 'page') return continueAsNew<typeof follow>(request, { state, left, failedBefore })
    left = []
    // A cancelled workflow ends in this pause.
    if (outcome === 'failed') await restAfterFailure(state)
  }
  return continueAsNew<typeof follow>(request, { state, left })
}

/**
 * Reads the rest of a round. `page`: one page was read, and more pages follow. `failed`: `state.fault` has the reason.
 */
async function readRound(
  request: FollowRequest,
  state: Following,
  { left, failedBefore }: { left: Reading[]; failedBefore: number },
): Promise<'whole' | 'page' | 'failed'> {
  for (let reading = left[0]; reading !== undefined; reading = left[0]) {
    const { source, at, begun = { units: state.units, failed: state.failed } } = reading
    try {
      const last = await readPage(request, state, reading)
      if (last !== null) {
        left[0] = { source, at, after: last, begun }
        return 'page'
      }
    } catch (error) {
      noteFailure(state, source, error)
      return 'failed'
    }
    left.shift()
    state.reached = { ...state.reached, [source]: at }
    noteUnits(state, source, { units: state.units - begun.units, failed: state.failed - begun.failed })
  }
  const failure = state.failed > failedBefore ? state.failures.at(-1) : undefined
  state.rounds += 1
  state.fault = failure === undefined ? null : `${failure.unit}: ${failure.reason}`
  state.failedRounds = 0
  return 'whole'
}

/** Reads one page of the due units of a source. Returns the path at its end, or null after the last page. */
async function readPage(
  { part, from }: FollowRequest,
  state: Following,
  { source, at, after }: Reading,
): Promise<string | null> {
  const request = { source, part, at, from, to: at, keys: [], includeOpen: true }
  const page = await planPage({ request, after })
  await readPlanned({ source, page, at }, state)
  return page.isLast ? null : page.last
}
