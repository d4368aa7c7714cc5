import type { Activities, Failing, Tally } from '#activities/index.ts'
import { continueAsNew, proxyActivities, sleep } from '#engine'

import { handleSignals, waitWhilePaused, type Control } from './control.ts'
import { noteNoAnswer, noteUnits, reasonOf } from './follow_state.ts'
import { emptyTally, planPage, readUnits } from './ingest_units.ts'

const { instant, requestedKeys, completeRequests } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumInterval: 10_000 },
})

export type IngestRequestedRequest = {
  /** The source that reads the accounts, and the sources of other venues that read them too. */
  source: string
  also?: string[]
  pause_ms: number
}

/** The most polls and units of one run. A poll adds a dozen events to its history, and so does a batch of units. */
const maxPollsPerRun = 200
const maxUnitsPerRun = 1_000

/** `rounds` and `failing`: absent in runs of an earlier version. */
type Begun = Control & { rounds?: number; failing?: Failing }
type State = Tally & Control & { rounds: number; failing: Failing }

/** Reads requested accounts soon after each request. */
export async function ingestRequested(request: IngestRequestedRequest, begun?: Begun): Promise<never> {
  const { source, also = [], pause_ms } = request
  const state: State = { ...emptyTally, isPaused: false, rate: null, rounds: 0, failing: {}, ...begun }
  handleSignals(state)
  for (let n = 0; n < maxPollsPerRun && state.units + state.failed < maxUnitsPerRun; n++) {
    await waitWhilePaused(state)
    const { rounds, failing } = state
    const keys = await requestedKeys({ sources: [source, ...also], every_s: pause_ms / 1_000, rounds, failing })
    if (keys.length > 0) await readKeys(request, keys, state)
    state.rounds += 1
    // A cancelled workflow ends in this pause.
    await sleep(pause_ms)
  }
  const { isPaused, rate, rounds, failing } = state
  return continueAsNew<typeof ingestRequested>(request, { isPaused, rate, rounds, failing })
}

/** Reads keys from each source. If one fails, the keys stay requested, and the next round reads them. */
async function readKeys({ source, also = [] }: IngestRequestedRequest, keys: string[], state: State): Promise<void> {
  let isWhole = true
  state.empty = []
  for (const name of [source, ...also]) {
    const { units: unitsBefore, failed: failedBefore } = state
    try {
      const at = await instant(name)
      const asked = { source: name, at, from: 0, to: at, keys, areRequested: true }
      const { units, workers } = await planPage({ request: asked, after: '' })
      await readUnits(units, at, state, { areRequested: true, workers })
      noteUnits(state, name, { units: state.units - unitsBefore, failed: state.failed - failedBefore })
    } catch (error) {
      noteNoAnswer(state, name, reasonOf(error))
      isWhole = false
    }
  }
  if (isWhole) await completeRequests({ source, also, keys, empty: state.empty })
}
