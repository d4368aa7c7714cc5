import type { FollowedRound } from '#lake/catalog/follows.ts'
import type { Micros } from '#time.ts'

import type { Source } from './source.ts'

/** The state of the follow of a part. A follow of an earlier version has no `failing`. */
export type FollowState = {
  part: string
  /** The instant of the last round of each source. */
  reached?: Record<string, Micros>
  failing?: Failing
}

/** The rounds in a row without an answer, by source, and the reason of the last one. */
export type Failing = Record<string, { rounds: number; fault: string }>

/** A stream is read in calls of this length, which count as its rounds. */
export const STREAM_RUN_S = 300

/** The state of each source of a follow. `speed`: seconds of the world in a second of the machine. */
export const followedRounds = (
  sources: readonly Source[],
  { part, reached = {}, failing = {} }: FollowState,
  speed: number,
): FollowedRound[] =>
  sources.map(({ name, kind, grid_s }) => ({
    source: name,
    part,
    every_s: kind === 'stream' ? STREAM_RUN_S : Math.max(1, Math.round(grid_s / speed)),
    reached: reached[name] ?? null,
    failed_rounds: failing[name]?.rounds ?? 0,
    fault: failing[name]?.fault ?? null,
  }))

/** The sources whose turn in the follow of a part comes before or after that of a source. */
export const besideInFollow = (sources: readonly Source[], { name, follow, parts }: Source, part: string): string[] =>
  follow === null || !parts.some((each) => each.name === part)
    ? []
    : sources
        .filter((other) => other.name !== name && other.follow?.group === follow.group)
        .filter((other) => other.parts.some((each) => each.name === part))
        .map((other) => other.name)

/** The rounds of a source of requested accounts, and the seconds of the machine between two of them. */
export type RequestedRound = { source: string; every_s: number; rounds: number; failing: Failing }

/** The part of these rounds. */
const requestedPart = 'requested'

/** The state of such a source after `rounds` rounds. A round without requests has ended too. */
export const requestedRound = ({ source, every_s, rounds, failing }: RequestedRound, now: Micros): FollowedRound => ({
  source,
  part: requestedPart,
  every_s: Math.max(1, Math.round(every_s)),
  reached: rounds === 0 ? null : now,
  failed_rounds: failing[source]?.rounds ?? 0,
  fault: failing[source]?.fault ?? null,
})
