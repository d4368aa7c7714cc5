import type { Activities, Tally } from '#activities/index.ts'
import { continueAsNew, proxyActivities, sleep } from '#engine'

import { handleSignals, waitWhilePaused, type Control } from './control.ts'
import { emptyTally, planPage, readUnits } from './ingest_units.ts'

const { tick } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumInterval: 10_000 },
})
const { publish: publishOne } = proxyActivities<Activities>({
  startToCloseTimeout: 600_000,
  heartbeatTimeout: 10_000,
  // A publisher that died holds its lease for half a minute.
  retry: { maximumAttempts: 8, maximumInterval: 10_000, nonRetryableErrorTypes: ['ModelError'] },
})

export type FollowRequest = {
  /** In the order in which they build on each other. They are read one after the other, each at the instants of its grid. */
  sources: string[]
  /** Units that lived from this instant on are read. */
  from: number
  /** Whether each round ends with a publish of the pulse. */
  isPublishing: boolean
}

/** How a follow stands: the last instant at which each of its sources was read, and what that has come to. */
export type Following = Tally &
  Control & {
    rounds: number
    reached: Record<string, number>
    /** Why the last round could not be published; what it read is stored all the same. */
    fault: string | null
  }

/** A source whose units are being read, and how far. */
type Reading = { source: string; at: number; after: string }
type ContinueState = { state: Following; left: Reading[] }

/**
 * Looks at the clock of one run, also those at which nothing was due, and units after which it looks no more: so its
 * history stays far below Temporal's limits. A round that fills a page ends the run at once.
 */
const maxPollsPerRun = 50
const maxUnitsPerRun = 1_900

/**
 * Follows some sources for ever. What an earlier round left open is closed, however long ago that was; what is behind
 * skips the instants that have passed.
 */
export async function follow(request: FollowRequest, begun?: ContinueState): Promise<never> {
  const state = begun?.state ?? { ...emptyTally, rounds: 0, reached: {}, fault: null, isPaused: false, rate: null }
  handleSignals(state)
  let left = begun?.left ?? []
  const tried = (): number => state.units + state.failed
  const before = tried()
  for (let looks = 0; looks < maxPollsPerRun && tried() - before < maxUnitsPerRun; looks += 1) {
    await waitWhilePaused(state)
    if (left.length === 0) {
      const { due, wait_ms } = await tick({ sources: request.sources, reached: state.reached })
      if (due.length === 0) {
        await sleep(wait_ms)
        continue
      }
      left = due.map(({ source, at }) => ({ source, at, after: '' }))
    }
    const isWhole = await read(request, state, left)
    if (!isWhole) return continueAsNew<typeof follow>(request, { state, left })
    left = []
    state.rounds += 1
    if (request.isPublishing) state.fault = await publish(Math.max(...Object.values(state.reached)))
  }
  return continueAsNew<typeof follow>(request, { state, left })
}

/** Publishes the pulse. Returns why it could not: reading goes on, since odds cannot be read later. */
async function publish(asOf: number): Promise<string | null> {
  try {
    await publishOne({ name: 'pulse', asOf })
    return null
  } catch (error) {
    // A server wraps what an activity threw.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return reason instanceof Error ? reason.message : String(reason)
  }
}

/** Reads what is left of a round; false where a page was filled, and there is more. */
async function read({ from }: FollowRequest, state: Following, left: Reading[]): Promise<boolean> {
  for (let reading = left[0]; reading !== undefined; reading = left[0]) {
    const { source, at, after } = reading
    const request = { source, at, from, to: at, keys: [], includeOpen: true }
    const { units, last, isLast } = await planPage({ request, after })
    await readUnits(units, at, state)
    if (!isLast) {
      left[0] = { source, at, after: last }
      return false
    }
    left.shift()
    state.reached[source] = at
  }
  return true
}
