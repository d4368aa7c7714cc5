import type { Activities, PublishResult } from '#activities/index.ts'
import { proxyActivities } from '#engine'

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  // The lease of a dead publisher expires within seconds.
  retry: {
    maximumAttempts: 5,
    initialInterval: 10_000,
    backoffCoefficient: 1,
    nonRetryableErrorTypes: ['ModelError', 'DiskFull'],
  },
})

/** Rebuilds every table as of an instant (microseconds; null: now) and publishes all publications. */
export const score = (request: Parameters<Activities['publishAll']>[0]): Promise<PublishResult> =>
  activities.publishAll(request)
