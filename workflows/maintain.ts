import type { Activities, MaintenanceResult } from '#activities/index.ts'
import { proxyActivities } from '#engine'

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  retry: {
    maximumAttempts: 3,
    initialInterval: 10_000,
    // A retry does not repair a damaged file; an operator must.
    nonRetryableErrorTypes: ['DamagedFile', 'DiskFull'],
  },
})

/**
 * Merges small files of the lake, and removes superseded files.
 *
 * A schedule starts this workflow. Both steps may be repeated at any time.
 */
export const maintain = (): Promise<MaintenanceResult> => activities.maintain()
