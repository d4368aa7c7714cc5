import type { Failing, Tally } from '#activities/index.ts'
import { sleep } from '#engine'

import type { Control } from './control.ts'
import { emptyTally } from './ingest_units.ts'

export type FollowRequest = {
  group: string
  /** The chain, venue or feed that is followed. */
  part: string
  /** The sources of the group that have this part. They are read in this order, each at the instants of its grid. */
  sources: string[]
  /** The units that overlap the time from this instant on are read. */
  from: number
  /** The only source is a stream. */
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
    /** The reason why the last round failed, or a failed unit of it. */
    fault: string | null
    /** Failed rounds since the last successful round. */
    failedRounds: number
    /** The sources whose last rounds had no answer; absent in runs of an earlier version. */
    failing?: Failing
  }

/** The pause after a failed round; it doubles with each failure in a row. */
const firstPause_ms = 10_000
const longestPause_ms = 300_000

/** The progress at the start of a follow. */
export const begin = ({ group, part }: FollowRequest): Following => ({
  ...emptyTally,
  group,
  part,
  rounds: 0,
  reached: {},
  fault: null,
  failedRounds: 0,
  failing: {},
  isPaused: false,
  rate: null,
})

/** Records the reason of a failed round. */
export function noteFailure(state: Following, source: string, error: unknown): void {
  state.fault = `${source}: ${reasonOf(error)}`
  state.failedRounds += 1
  noteNoAnswer(state, source, reasonOf(error))
}

/** The sources of a run whose last rounds had no answer. */
type Answers = { failing?: Failing }

/** Records a round in which the upstream of a source did not answer. */
export function noteNoAnswer(state: Answers, source: string, fault: string): void {
  const rounds = (state.failing?.[source]?.rounds ?? 0) + 1
  state.failing = { ...state.failing, [source]: { rounds, fault } }
}

/** Records a round that the upstream of a source answered. */
export function noteAnswer(state: Answers, source: string): void {
  state.failing = Object.fromEntries(Object.entries(state.failing ?? {}).filter(([name]) => name !== source))
}

/** Records the units of a round of a source. More failed than read ones are no answer. */
export function noteUnits(
  state: Answers & Pick<Tally, 'failures'>,
  source: string,
  { units, failed }: Pick<Tally, 'units' | 'failed'>,
): void {
  if (failed > units) noteNoAnswer(state, source, state.failures.at(-1)?.reason ?? 'units failed')
  else noteAnswer(state, source)
}

/** Waits after a failed round. A cancelled workflow ends here. */
export const restAfterFailure = ({ failedRounds }: Following): Promise<void> =>
  sleep(Math.min(firstPause_ms * 2 ** (failedRounds - 1), longestPause_ms))

/** The message of an activity's error, which a server wraps. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return reason instanceof Error ? reason.message : String(reason)
}
