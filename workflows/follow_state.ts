import type { Tally } from '#activities/index.ts'
import { sleep } from '#engine'

import type { Control } from './control.ts'
import { emptyTally } from './ingest_units.ts'

export type FollowRequest = {
  group: string
  /** The chain, venue or feed that is followed. */
  part: string
  /** The sources of the group that have this part. They are read one after the other, each at the instants of its grid. */
  sources: string[]
  /** Units that lived from this instant on are read. */
  from: number
  /** Whether each round ends with a publication of the pulse. */
  isPublishing: boolean
  /** The source is a stream, and the only one. */
  isStream?: true
}

/** The progress of a follow. */
export type Following = Tally &
  Control & {
    group: string
    part: string
    rounds: number
    /** The last instant at which each source was read. */
    reached: Record<string, number>
    /** Why the last round failed or was not published, or a unit that failed in it. */
    fault: string | null
    /** Rounds that failed since the last one that did not. */
    failedRounds: number
  }

/** The pause after a round that failed; it doubles with each failure in a row. */
const firstPause_ms = 10_000
const longestPause_ms = 300_000

/** The progress of a follow that starts. */
export const begin = ({ group, part }: FollowRequest): Following => ({
  ...emptyTally,
  group,
  part,
  rounds: 0,
  reached: {},
  fault: null,
  failedRounds: 0,
  isPaused: false,
  rate: null,
})

/** Notes why a round failed. */
export function noteFailure(state: Following, source: string, error: unknown): void {
  state.fault = `${source}: ${reasonOf(error)}`
  state.failedRounds += 1
}

/** Rests after a round that failed. A workflow that was cancelled ends here. */
export const restAfterFailure = ({ failedRounds }: Following): Promise<void> =>
  sleep(Math.min(firstPause_ms * 2 ** (failedRounds - 1), longestPause_ms))

/** A server wraps the error that an activity threw. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return reason instanceof Error ? reason.message : String(reason)
}
