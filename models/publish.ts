import { setTimeout as sleep } from 'node:timers/promises'

import type { Lake } from '#lake/lake.ts'
import type { Publish } from '#marts/publications.ts'
import { cursorLife_ms, pointTo, snapshotPath, sweepSnapshots } from '#marts/snapshot.ts'
import { LeaseHeld, withLease } from '#storage/lease.ts'
import type { Micros } from '#time.ts'

import { publishAnalystsCopy } from './analysts_copy.ts'
import { buildMarts, type BuildSettings, type Built } from './build.ts'
import type { BuiltTable } from './build_meta.ts'
import type { Macro } from './model.ts'

/**
 * How long replaced scores are kept is asked for; a replaced pulse goes when its cursors have. The macros are for the
 * analysts' copy.
 */
export type PublishSettings = BuildSettings & { macros: readonly Macro[]; keep_ms: number }

/** Whether the analysts' copy was replaced, or had to wait for a client that holds it open for writing. */
export type AnalystsCopy = Awaited<ReturnType<typeof publishAnalystsCopy>>

/** Both publishes as of one instant. `id` is the snapshot of the scores; the tables are those of both, by name. */
export type Published = { id: string; pulse: string; asOf: Micros; tables: BuiltTable[]; analystsCopy: AnalystsCopy }

/**
 * Builds all marts as of one instant and publishes them: a finished file goes in under a name of its own and is never
 * written again, then a pointer flips. Readers keep what they have open; a publisher that dies leaves the previous
 * snapshots current. The pulse comes first, so that the analysts' copy, which comes with the scores, holds it.
 */
export async function publishMarts(lake: Lake, settings: PublishSettings): Promise<Published> {
  const pulse = await inTurn(() => publishPulse(lake, settings))
  const { id, asOf, analystsCopy, tables } = await publishScores(lake, settings)
  const all = [...tables, ...pulse.tables].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { id, pulse: pulse.id, asOf, analystsCopy, tables: all }
}

/** Publishes what changes by the second, and nothing else. */
export const publishPulse = (lake: Lake, settings: BuildSettings): Promise<Built> =>
  publish(lake, 'pulse', { ...settings, keep_ms: cursorLife_ms }, (built) => Promise.resolve(built))

/** Publishes all other marts, and the analysts' copy. */
export const publishScores = (lake: Lake, settings: PublishSettings): Promise<Built & { analystsCopy: AnalystsCopy }> =>
  publish(lake, 'scores', settings, async (built) => ({
    ...built,
    analystsCopy: await publishAnalystsCopy(lake, built.id, settings),
  }))

/** Builds and publishes under the lease of the publish: the two hold each other up in nothing. */
const publish = <T>(
  lake: Lake,
  of: Publish,
  settings: BuildSettings & { keep_ms: number },
  afterwards: (built: Built) => Promise<T>,
): Promise<T> =>
  withLease(lake.storage, `marts/${of}.lease.json`, settings.now, async () => {
    const built = await buildMarts(lake, of, settings)
    await lake.storage.put(snapshotPath(built.id), { file: built.file })
    await pointTo(lake.storage, built.id)
    const done = await afterwards(built)
    await sweepSnapshots(lake.storage, { publish: of, now: settings.now(), keep_ms: settings.keep_ms })
    return done
  })

/** A pulse takes a second or two: whoever comes in between waits for it, for longer than the lease of a dead one. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  for (let left = 160; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LeaseHeld) || left === 0) throw error
      await sleep(250)
    }
  }
}
