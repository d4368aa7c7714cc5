import { proxyActivities } from '#engine'
import type { Activities, Scored } from '#activities/index.ts'

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  // A lease that somebody else holds runs out within half a minute.
  retry: {
    maximumAttempts: 5,
    initialInterval: 10_000,
    backoffCoefficient: 1,
    nonRetryableErrorTypes: ['ModelError'],
  },
})

/** Rebuilds all tables as of an instant (microseconds; null: now) and publishes them. */
export const score = (asOf: number | null): Promise<Scored> => activities.score({ asOf })
