import type { Activities, NewerRequest } from '#activities/index.ts'
import { continueAsNew, proxyActivities, sleep } from '#engine'

import { handleSignals, waitWhilePaused, type Control } from './control.ts'
import { reasonOf } from './follow_state.ts'

const { publishNewer } = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  // The workflow tries again, and shows the fault until then.
  retry: { maximumAttempts: 2, nonRetryableErrorTypes: ['ModelError', 'DiskFull'] },
})

/** The progress of a publication. */
export type Publishing = Control & {
  published: number
  /** The instant of the current publication; empty before the first. */
  reached: Record<string, number>
  /** The reason why the last build failed. */
  fault: string | null
  /** Failed builds since the last one that succeeded. */
  failedRounds: number
}

/** The most terms of one run, which holds its history far below Temporal's limits. */
const maxTermsPerRun = 10
/** The pause after a failed build; it doubles with each failure in a row. */
const firstPause_ms = 1_000
const longestPause_ms = 300_000

/**
 * Follows the lake without end, and publishes a publication whenever it is due. A pause takes effect at the end of the
 * current term, which is short. A failed build is repeated after a pause that grows with each failure in a row.
 */
export async function publish(request: NewerRequest, begun?: Publishing): Promise<never> {
  const initial = { published: 0, reached: {}, fault: null, failedRounds: 0, isPaused: false, rate: null }
  const state: Publishing = begun ?? initial
  handleSignals(state)
  for (let terms = 0; terms < maxTermsPerRun; terms += 1) {
    await waitWhilePaused(state)
    try {
      const { published, asOf } = await publishNewer(request)
      state.published += published
      if (asOf !== null) state.reached[request.name] = asOf
      Object.assign(state, { fault: null, failedRounds: 0 })
    } catch (error) {
      state.fault = reasonOf(error)
      state.failedRounds += 1
      // A cancelled workflow ends here.
      await sleep(Math.min(firstPause_ms * 2 ** (state.failedRounds - 1), longestPause_ms))
    }
  }
  return continueAsNew<typeof publish>(request, state)
}
