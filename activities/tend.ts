import type { Clock } from '#lake/clock.ts'
import type { Micros } from '#lake/columns.ts'
import { compactLake, type CompactedSource } from '#lake/compact.ts'
import { collectGarbage } from '#lake/gc.ts'
import type { Lake } from '#lake/lake.ts'

import type { Heart } from './heart.ts'
import type { Source } from './source.ts'

/** What keeping the lake in order came to. */
export type Tended = { joined: number; written: number; deleted: number; damaged: string[] }

type TendTools = {
  lake: Lake
  sources: readonly Source[]
  /** The time of the world that is watched: it says what is over. */
  clock: Clock
  /** The machine's time: it says how long somebody may still read what was joined. */
  now: () => Micros
  keepJoined_ms: number
}

/** Joins small files, and removes those that were joined long enough ago. */
export async function tendLake(
  { lake, sources, clock, now, keepJoined_ms }: TendTools,
  { cancelled }: Heart,
): Promise<Tended> {
  const stop = cancelled === undefined ? {} : { signal: cancelled }
  const compacted = await compactLake(lake, { sources: compactedSources(sources), now: clock(), ...stop })
  cancelled?.throwIfAborted()
  const { deleted, damaged } = await collectGarbage(lake, { now: now(), keep_ms: keepJoined_ms, ...stop })
  const { joins, n_files_joined } = compacted
  return { joined: n_files_joined, written: joins.length, deleted: deleted.length, damaged }
}

/** What compaction has to know of the sources; of one whose units never close there is nothing to join. */
export const compactedSources = (sources: readonly Source[]): CompactedSource[] =>
  sources
    .filter(({ isEndless }) => isEndless !== true)
    .map(({ name, unit, settle_s, datasets }) => ({ name, kind: unit, settle_s, datasets }))
