import type { Activities, ScoreResult } from '#activities/index.ts'
import { proxyActivities } from '#engine'

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  // The lease of a publisher that died expires within half a minute.
  retry: {
    maximumAttempts: 5,
    initialInterval: 10_000,
    backoffCoefficient: 1,
    nonRetryableErrorTypes: ['ModelError'],
  },
})

export type ScoreRequest = Parameters<Activities['score']>[0]

/** Rebuilds the tables as of an instant (microseconds; null: now) and publishes them. */
export const score = (request: ScoreRequest): Promise<ScoreResult> => activities.score(request)
