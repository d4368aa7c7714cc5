import { compactLake, type CompactedSource } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { datasets, type Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { expireUnits, type Retained } from '#lake/retention.ts'
import type { Clock, Micros } from '#time.ts'

import type { ActivityContext } from './ingest/heartbeat.ts'
import type { Source } from './source.ts'

/** What keeping the lake in order came to. */
export type MaintenanceResult = { files_compacted: number; files_written: number; files_deleted: number }

type MaintainTools = {
  lake: Lake
  sources: readonly Source[]
  /** The time of the world that is watched: it says what is over. */
  clock: Clock
  /** The machine's time: it says how long somebody may still read what was joined. */
  now: () => Micros
  keepJoined_ms: number
}

/** A joined file is not what it was when it was written. What it was made of is kept: doing it again mends nothing. */
export class DamagedFile extends Error {
  constructor(paths: readonly string[]) {
    super(`damaged, and what it was made of is kept: ${paths.join(', ')}`)
    this.name = 'DamagedFile'
  }
}

/** Drops rows beyond their retention, joins small files until there are none left, and removes those that were joined long enough ago. */
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
    // What somebody stores into at this moment is left for another time.
    if (isFinished || joins.length === 0) break
  }
  const { deleted, damaged } = await vacuum(lake, { now: now(), keep_ms: keepJoined_ms, ...stop })
  if (damaged.length > 0) throw new DamagedFile(damaged)
  return { ...result, files_deleted: deleted.length }
}

/** What compaction has to know of the sources; of one whose units never close there is nothing to join. */
export const compactedSources = (sources: readonly Source[]): CompactedSource[] =>
  sources
    .filter((source) => source.kind === 'stream' || source.isEndless !== true)
    .map((source) => ({ name: source.name, kind: source.unit, settle_s: source.settle_s, datasets: source.datasets }))

/** The datasets that are kept for a time, and the sources that fill them. */
const retainedBy = (sources: readonly Source[]): Retained[] =>
  Object.values<Dataset>(datasets).flatMap((dataset) => {
    const { retention_s } = dataset
    const filledBy = sources.filter((source) => source.datasets.some((name) => name === dataset.name))
    return retention_s === undefined
      ? []
      : [{ dataset: { ...dataset, retention_s }, sources: filledBy.map(({ name }) => name) }]
  })
