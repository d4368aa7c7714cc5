import { setTimeout as sleep } from 'node:timers/promises'

import { LeaseHeld, withLease } from '#lake/catalog/lease.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import { fileDigest } from '#snapshots/digest.ts'
import {
  cursorLife_s,
  materializing,
  publicationNamed,
  publications,
  type PublicationName,
} from '#snapshots/publications.ts'
import { currentSnapshot, digestPath, pointTo, snapshotPath, sweepSnapshots } from '#snapshots/snapshot.ts'

import type { ColumnDocs } from './analysts/comments.ts'
import { publishAnalystsCopy } from './analysts/copy.ts'
import { buildMarts, type Built } from './build.ts'
import type { Macro } from './model.ts'
import type { BuildSettings } from './prepare.ts'

/**
 * `macros` go into the analysts' copy, and `columns` there become comments. `maxKeep_s` shortens the time for which
 * replaced snapshots are kept, down to the life of their cursors. With `keepServed` the snapshot is served only if its
 * publication has none yet.
 */
export type PublishSettings = BuildSettings & {
  macros: readonly Macro[]
  columns: ColumnDocs
  maxKeep_s?: number
  keepServed?: boolean
}

/**
 * A published snapshot. `analystsCopy` says whether the analysts' copy was replaced, or had to wait for a client that
 * holds it open for writing; null for a publication that is not followed by a copy.
 */
export type Published = Built & { analystsCopy: Awaited<ReturnType<typeof publishAnalystsCopy>> | null }

/**
 * Builds the marts of a publication and publishes them: the finished file is stored under its own name and never
 * written again, then the pointer changes. Readers keep what they have open. A publisher that dies leaves the previous
 * snapshot current. Each publication has its own lease, so publications never block each other.
 */
export const publish = (lake: Lake, name: PublicationName, settings: PublishSettings): Promise<Published> =>
  withLease(lake.catalog, `publication ${name}`, settings.now, async (hold) => {
    const { materializes, keep_s } = publicationNamed(name)
    const built = await buildMarts(lake, name, settings)
    const digest = await fileDigest(built.file)
    await lake.local.put(snapshotPath(built.id), { file: built.file })
    await lake.local.put(digestPath(built.id), Buffer.from(digest))
    await hold()
    // The lock of the catalog keeps the changes of other publications.
    const isKept = settings.keepServed === true && (await currentSnapshot(lake.local, name)) !== undefined
    if (!isKept) await lake.catalog.commit(() => pointTo(lake.local, built.id))
    const analystsCopy = materializes ? await publishAnalystsCopy(lake, built, settings) : null
    const kept_s = Math.max(cursorLife_s, Math.min(keep_s, settings.maxKeep_s ?? keep_s))
    await sweepSnapshots(lake.local, { publication: name, now: settings.now(), keep_s: kept_s })
    return { ...built, analystsCopy }
  })

/**
 * Publishes every publication as of one instant, from one snapshot of the lake. The materializing one comes last, so
 * that the analysts' copy, which is made after it, holds all of them. Returns it with the tables of all, and the
 * snapshot of each by name.
 */
export async function publishAll(
  lake: Lake,
  settings: PublishSettings,
): Promise<Published & { snapshots: Partial<Record<PublicationName, string>> }> {
  const lakeSnapshot = settings.lakeSnapshot ?? (await latestSnapshot(lake.catalog))
  const all: PublishSettings = { ...settings, lakeSnapshot }
  const others: Published[] = []
  for (const { name, materializes } of publications) {
    if (!materializes) others.push(await inTurn(() => publish(lake, name, all)))
  }
  const last = await publish(lake, materializing(), all)
  const published = [...others, last]
  return {
    ...last,
    snapshots: Object.fromEntries(published.map(({ publication, id }) => [publication, id])),
    tables: published.flatMap(({ tables }) => tables).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** Waits while another process publishes the same, for longer than a dead publisher holds its lease. */
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
