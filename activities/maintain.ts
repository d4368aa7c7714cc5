import type { ActivityContext } from '#ingest/heartbeat.ts'
import type { Source } from '#ingest/source.ts'
import { compactLake } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { datasets, type Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { expireProgress } from '#lake/raw/progress.ts'
import { expireUnits, type Retained } from '#lake/retention.ts'
import { dropDeleted } from '#sources/social/drop_deleted.ts'
import { DAY, type Clock, type Micros } from '#time.ts'

/** The counts of one maintenance. */
export type MaintenanceResult = { files_compacted: number; files_written: number; files_deleted: number }

type MaintainTools = {
  lake: Lake
  sources: readonly Source[]
  /** The time of the world, for the retention of rows. */
  clock: Clock
  /** The machine's time, for the age of files and snapshots. */
  now: () => Micros
  /** The seconds of the world in a second of the machine. */
  speed: number
  /** The time until a replaced snapshot is deleted. */
  keepLakeSnapshots_ms: number
}

/** Files of a world at its own pace are merged when they are ten minutes old: units that grow are rewritten soon. */
export const minAge_s = 600

/** Hours of a pushed feed are stored every second. After an hour one snapshot of each ten minutes is enough. */
const thinning = { after_ms: 3_600_000, every_ms: 600_000 }

/**
 * Drops rows beyond their retention, deleted texts, and readings that were not continued for a day. It then merges
 * small files until none are left, and deletes files of expired snapshots.
 */
export async function maintainLake(
  { lake, sources, clock, now, speed, keepLakeSnapshots_ms }: MaintainTools,
  { cancelled }: ActivityContext,
): Promise<MaintenanceResult> {
  const stop = cancelled === undefined ? {} : { signal: cancelled }
  const result: MaintenanceResult = { files_compacted: 0, files_written: 0, files_deleted: 0 }
  await expireUnits(lake, { retained: retainedBy(sources), now: clock(), ...stop })
  await expireProgress(lake, now() - DAY)
  await dropDeleted({ lake, sources, now: clock() }, cancelled)
  for (;;) {
    const { merges, n_files_merged, isFinished } = await compactLake(lake, {
      now: now(),
      minAge_s: minAge_s / speed,
      ...stop,
    })
    cancelled?.throwIfAborted()
    result.files_compacted += n_files_merged
    result.files_written += merges.length
    // Units that are stored at this moment are left for another time.
    if (isFinished || merges.length === 0) break
  }
  const { deleted } = await vacuum(lake, { now: now(), keep_ms: keepLakeSnapshots_ms, thin: thinning, ...stop })
  return { ...result, files_deleted: deleted.length }
}

/** The datasets with a retention, and the sources that fill them. */
const retainedBy = (sources: readonly Source[]): Retained[] =>
  Object.values<Dataset>(datasets).flatMap((dataset) => {
    const { retention_s } = dataset
    const filledBy = sources.filter((source) => source.datasets.some((name) => name === dataset.name))
    return retention_s === undefined
      ? []
      : [{ dataset: { ...dataset, retention_s }, sources: filledBy.map(({ name }) => name) }]
  })
