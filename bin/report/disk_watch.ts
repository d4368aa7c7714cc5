import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

import type { DiskSpace } from '#storage/disk_space.ts'

const every_ms = 15_000

/**
 * Watches a disk: its free bytes are a metric, and the log reports when it becomes too full and when it has space
 * again. Returns the function that ends the watch.
 */
export function watchDisk(
  { registry, log }: { registry: Registry; log: Logger },
  disk: () => Promise<DiskSpace>,
): () => void {
  const free: Gauge = new Gauge({
    name: 'tapeline_disk_free_bytes',
    help: 'Free space on the disk of the home',
    registers: [registry],
    collect: async (): Promise<void> => free.set((await disk()).free_bytes),
  })
  let before: string | null = null
  const look = async (): Promise<void> => {
    const { fault } = await disk()
    if (fault !== null && before === null) log.error(fault)
    if (fault === null && before !== null) log.warn('disk: enough free space again')
    before = fault
  }
  const lookSafely = (): void => void look().catch((error: unknown) => log.error({ err: error }, 'disk: not watched'))
  lookSafely()
  const timer = setInterval(lookSafely, every_ms).unref()
  return () => clearInterval(timer)
}
