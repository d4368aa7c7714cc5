import type { Activities, MaintenanceResult } from '#activities/index.ts'
import { proxyActivities } from '#engine'

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 10_000,
  retry: { maximumAttempts: 3, initialInterval: 10_000, nonRetryableErrorTypes: ['DamagedFile'] },
})

/** Merges small files of the lake, and removes files that were merged long enough ago. */
export const maintain = (): Promise<MaintenanceResult> => activities.maintain()
