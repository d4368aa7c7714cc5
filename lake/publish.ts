import { publishAnalystsCopy } from './analysts.ts'
import { buildMarts, type BuildSettings, type Built } from './build.ts'
import type { Lake } from './lake.ts'
import { withLease } from './lease.ts'
import { pointerPath, snapshotPath, sweepSnapshots } from './snapshot.ts'

/** A published build, and whether the analysts' copy had to wait for a client that holds it open for writing. */
export type Published = Built & { analystsCopy: 'published' | 'waiting' }

/**
 * Builds the marts and publishes them: the finished file goes in under a name of its own and is never written again,
 * then a pointer flips. Readers keep what they have open; a publisher that dies leaves the previous snapshot current.
 */
export function publishMarts(lake: Lake, settings: BuildSettings & { keep_ms: number }): Promise<Published> {
  return withLease(lake.storage, settings.now, async () => {
    const built = await buildMarts(lake, settings)
    await lake.storage.put(snapshotPath(built.id), { file: built.file })
    await lake.storage.put(pointerPath, Buffer.from(JSON.stringify({ scores: built.id })))
    const analystsCopy = await publishAnalystsCopy(lake, built.id, settings.models)
    await sweepSnapshots(lake.storage, settings.now(), settings.keep_ms)
    return { ...built, analystsCopy }
  })
}
