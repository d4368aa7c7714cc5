import type { Activities, Tally } from '#activities/index.ts'
import { continueAsNew, proxyActivities, sleep } from '#engine'

import { handleSignals, waitWhilePaused, type Control } from './control.ts'
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

/** Reads requested accounts soon after each request. */
export async function ingestRequested(request: IngestRequestedRequest, begun?: Control): Promise<never> {
  const { source, also = [], pause_ms } = request
  const state: Tally & Control = { ...emptyTally, isPaused: false, rate: null, ...begun }
  handleSignals(state)
  for (let n = 0; n < maxPollsPerRun && state.units + state.failed < maxUnitsPerRun; n++) {
    await waitWhilePaused(state)
    const keys = await requestedKeys()
    if (keys.length > 0) {
      state.empty = []
      for (const name of [source, ...also]) {
        const at = await instant(name)
        const asked = { source: name, at, from: 0, to: at, keys, areRequested: true }
        const { units, workers } = await planPage({ request: asked, after: '' })
        await readUnits(units, at, state, { areRequested: true, workers })
      }
      await completeRequests({ source, also, keys, empty: state.empty })
    }
    await sleep(pause_ms)
  }
  return continueAsNew<typeof ingestRequested>(request, { isPaused: state.isPaused, rate: state.rate })
}
