import type { Activities } from '#activities/index.ts'
import { proxyActivities } from '#engine'

import { waitWhilePaused } from './control.ts'
import {
  noteAnswer,
  noteFailure,
  noteNoAnswer,
  restAfterFailure,
  type Following,
  type FollowRequest,
} from './follow_state.ts'

const { instant } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumInterval: 10_000 },
})
const { stream } = proxyActivities<Activities>({
  // One call reads a stream for five minutes.
  startToCloseTimeout: 1_800_000,
  heartbeatTimeout: 10_000,
  // The follow retries, and shows the fault until then.
  retry: { maximumAttempts: 2 },
})

/** The most calls of one run, which holds its history far below Temporal's limits. */
const maxCallsPerRun = 200

/**
 * Reads the stream of one part in successive calls, each from the stored cursor on. A pause takes effect at the end of
 * the current call. A failed call is repeated after a pause that grows with each failure in a row.
 */
export async function readStream({ part, sources }: FollowRequest, state: Following): Promise<void> {
  const [source = ''] = sources
  for (let calls = 0; calls < maxCallsPerRun; calls += 1) {
    await waitWhilePaused(state)
    try {
      const { reached, failing = {} } = state
      const { units, rows, silence = null } = await stream({ source, part, reached, failing })
      state.units += units
      state.rows += rows
      state.rounds += 1
      state.fault = silence && `${source}: ${silence}`
      state.failedRounds = 0
      state.reached = { ...state.reached, [source]: await instant(source) }
      if (silence === null) noteAnswer(state, source)
      else noteNoAnswer(state, source, silence)
    } catch (error) {
      noteFailure(state, source, error)
      await restAfterFailure(state)
    }
  }
}
