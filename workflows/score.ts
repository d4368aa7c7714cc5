import type { Activities, PublishResult } from '#activities/index.ts'
import { proxyActivities } from '#engine'

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  // The lease of a dead publisher expires within half a minute.
  retry: {
    maximumAttempts: 5,
    initialInterval: 10_000,
    backoffCoefficient: 1,
    nonRetryableErrorTypes: ['ModelError', 'DiskFull'],
  },
})

type Request<K extends 'publish' | 'publishAll'> = Parameters<Activities[K]>[0]

/** Rebuilds every table as of an instant (microseconds; null: now) and publishes all publications. */
export const score = (request: Request<'publishAll'>): Promise<PublishResult> => activities.publishAll(request)

/** Builds and publishes one publication, as a schedule does. */
export const publish = (request: Request<'publish'>): Promise<PublishResult> => activities.publish(request)
