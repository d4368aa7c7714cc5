import { compactLake, type CompactedSource } from '#lake/compaction/compact.ts'
import { collectGarbage } from '#lake/compaction/vacuum.ts'
import type { Lake } from '#lake/lake.ts'
import type { Clock, Micros } from '#time.ts'

import type { Heart } from './ingest/heartbeat.ts'
import type { Source } from './source.ts'

/** What keeping the lake in order came to. */
export type Tended = { joined: number; written: number; deleted: number }

type TendTools = {
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

/** Joins small files until there are none left, and removes those that were joined long enough ago. */
export async function tendLake(
  { lake, sources, clock, now, keepJoined_ms }: TendTools,
  { cancelled }: Heart,
): Promise<Tended> {
  const stop = cancelled === undefined ? {} : { signal: cancelled }
  const tended: Tended = { joined: 0, written: 0, deleted: 0 }
  for (;;) {
    const of = { sources: compactedSources(sources), now: clock(), ...stop }
    const { joins, n_files_joined, isFinished } = await compactLake(lake, of)
    cancelled?.throwIfAborted()
    tended.joined += n_files_joined
    tended.written += joins.length
    // What somebody stores into at this moment is left for another time.
    if (isFinished || joins.length === 0) break
  }
  const { deleted, damaged } = await collectGarbage(lake, { now: now(), keep_ms: keepJoined_ms, ...stop })
  if (damaged.length > 0) throw new DamagedFile(damaged)
  return { ...tended, deleted: deleted.length }
}

/** What compaction has to know of the sources; of one whose units never close there is nothing to join. */
export const compactedSources = (sources: readonly Source[]): CompactedSource[] =>
  sources
    .filter(({ isEndless }) => isEndless !== true)
    .map(({ name, unit, settle_s, datasets }) => ({ name, kind: unit, settle_s, datasets }))
