import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

import { lookEvery } from './look_every.ts'

const every_ms = 60_000

/**
 * Shows the bytes of each folder of a home, which are read once a minute, since a lake has many files. Returns the
 * function that ends this.
 */
export function watchFolders(
  { registry, log }: { registry: Registry; log: Logger },
  sizes: (signal: AbortSignal) => Promise<Record<string, number>>,
): () => Promise<void> {
  const bytes = new Gauge({
    name: 'tapeline_disk_bytes',
    help: 'Bytes of each folder of the home; databases and other files beside them are in the folder "."',
    labelNames: ['folder'],
    registers: [registry],
  })
  const ending = new AbortController()
  const look = async (): Promise<void> => {
    const folders = Object.entries(await sizes(ending.signal))
    bytes.reset()
    for (const [folder, size] of folders) bytes.set({ folder }, size)
  }
  const looks = lookEvery(every_ms, look, (error) => {
    if (!ending.signal.aborted) log.error({ err: error }, 'the bytes of the folders were not read')
  })
  looks.now()
  return () => {
    ending.abort()
    return looks.end()
  }
}
