import { compactLake, type CompactedSource } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { datasets, type Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { expireUnits, type Retained } from '#lake/retention.ts'
import type { Clock, Micros } from '#time.ts'

import type { ActivityContext } from './ingest/heartbeat.ts'
import type { Source } from './source.ts'

/** The counts of one maintenance. */
export type MaintenanceResult = { files_compacted: number; files_written: number; files_deleted: number }

type MaintainTools = {
  lake: Lake
  sources: readonly Source[]
  /** The time of the followed world, which decides about the end of units. */
  clock: Clock
  /** The machine's time, which decides about the deletion of superseded files. */
  now: () => Micros
  keepJoined_ms: number
}

/** A compacted file changed after it was written. Its input files are not deleted. A retry fails too. */
export class DamagedFile extends Error {
  constructor(paths: readonly string[]) {
    super(`compacted files: damaged, ${paths.join(', ')}; expected unchanged files, so their input files stay`)
    this.name = 'DamagedFile'
  }
}

/**
 * Removes rows beyond their retention, and compacts small files until none are left. It also removes files that were
 * superseded long enough ago.
 */
export async function maintainLake(
  { lake, sources, clock, now, keepJoined_ms }: MaintainTools,
  { cancelled }: ActivityContext,
): Promise<MaintenanceResult> {
  const stop = cancelled === undefined ? {} : { signal: cancelled }
  const result: MaintenanceResult = { files_compacted: 0, files_written: 0, files_deleted: 0 }
  await expireUnits(lake, { retained: retainedBy(sources), now: clock(), ...stop })
  for (;;) {
    const of = { sources: compactedSources(sources), now: clock(), ...stop }
    const { joins, n_files_joined, isFinished } = await compactLake(lake, of)
    cancelled?.throwIfAborted()
    result.files_compacted += n_files_joined
    result.files_written += joins.length
    // Units that are being written are left for the next maintenance.
    if (isFinished || joins.length === 0) break
  }
  const { deleted, damaged } = await vacuum(lake, { now: now(), keep_ms: keepJoined_ms, ...stop })
  if (damaged.length > 0) throw new DamagedFile(damaged)
  return { ...result, files_deleted: deleted.length }
}

/** The sources that compaction handles. A source without closed units has no files to compact. */
export const compactedSources = (sources: readonly Source[]): CompactedSource[] =>
  sources
    .filter((source) => source.kind === 'stream' || source.isEndless !== true)
    .map((source) => ({ name: source.name, kind: source.unit, settle_s: source.settle_s, datasets: source.datasets }))

/** The datasets with a retention, and the sources that fill them. */
const retainedBy = (sources: readonly Source[]): Retained[] =>
  Object.values<Dataset>(datasets).flatMap((dataset) => {
    const { retention_s } = dataset
    const filledBy = sources.filter((source) => source.datasets.some((name) => name === dataset.name))
    return retention_s === undefined
      ? []
      : [{ dataset: { ...dataset, retention_s }, sources: filledBy.map(({ name }) => name) }]
  })
