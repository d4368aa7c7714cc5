import type { Activities, Failing, Tally } from '#activities/index.ts'
import { continueAsNew, proxyActivities, sleep } from '#engine'

import { handleSignals, waitWhilePaused, type Control } from './control.ts'
import { noteNoAnswer, noteUnits, reasonOf } from './follow_state.ts'
import { add, emptyTally, planPage, readUnits } from './ingest_units.ts'
import { openQueues, type Queues } from './requested_queues.ts'

const { instant, requestedKeys, completeRequests } = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: 10_000,
  retry: { maximumInterval: 10_000 },
})

export type IngestRequestedRequest = {
  /** The source that reads the accounts, and the sources of other upstreams that read them too. */
  source: string
  also?: string[]
  pause_ms: number
  /** Each source has its own queue. Runs that an earlier version began have one for all until they go on as new ones. */
  isQueued?: boolean
}

/** The most polls and units of one run. A poll adds a dozen events to its history, and so does a batch of units. */
const maxPollsPerRun = 200
const maxUnitsPerRun = 1_000

/**
 * Reads requested accounts soon after each request. Each source reads the longest waiting of those that it has not yet
 * read, whatever the other sources do. A request ends once all sources have read it.
 */
export async function ingestRequested(request: IngestRequestedRequest, begun?: Control): Promise<never> {
  const { source, also = [], isQueued = false } = request
  const state: Tally & Control = { ...emptyTally, isPaused: false, rate: null, ...begun }
  handleSignals(state)
  if (isQueued) {
    const queues = openQueues([source, ...also])
    const isOver = (): boolean => queues.isOver(maxPollsPerRun, state.units + state.failed >= maxUnitsPerRun)
    await Promise.all([source, ...also].map((name) => readQueue({ name, request, state, queues, isOver })))
  } else await readTogether(request, state)
  const { isPaused, rate } = state
  return continueAsNew<typeof ingestRequested>({ ...request, isQueued: true }, { isPaused, rate })
}

type Reading = {
  name: string
  request: IngestRequestedRequest
  state: Tally & Control
  queues: Queues
  isOver: () => boolean
}

/** Reads the queue of one source, round by round. */
async function readQueue({ name, request, state, queues, isOver }: Reading): Promise<void> {
  const { pause_ms } = request
  const answers: Answers = { failing: {}, failures: [] }
  for (let rounds = 0; !isOver(); rounds += 1) {
    await waitWhilePaused(state)
    queues.begin(name)
    const round = { source: name, every_s: pause_ms / 1_000, rounds, failing: answers.failing }
    const waiting = await requestedKeys({ without: queues.readBy(name), round })
    const keys = queues.hasRoom(name) ? waiting : []
    try {
      if (keys.length > 0) await readKeys({ name, request, state, queues }, keys, answers)
    } catch (error) {
      // The keys stay requested. The other sources go on.
      noteNoAnswer(answers, name, reasonOf(error))
    }
    queues.end(name)
    // A cancelled workflow ends in this pause.
    await sleep(pause_ms)
  }
}

/** The failed rounds of a source, and the failures of its last round. */
type Answers = { failing: Failing; failures: Tally['failures'] }

async function readKeys(
  { name, request: { source, also = [] }, state, queues }: Omit<Reading, 'isOver'>,
  keys: string[],
  answers: Answers,
): Promise<void> {
  const at = await instant(name)
  const { units, workers } = await planPage({ request: requestOf(name, at, keys), after: '' })
  const tally = under(state)
  await readUnits(units, at, tally, { areRequested: true, workers })
  add(state, tally)
  answers.failures = tally.failures
  noteUnits(answers, name, tally)
  const ended = queues.note(name, keys, tally.empty ?? [])
  if (ended.keys.length > 0) await completeRequests({ source, also, ...ended })
  queues.drop(ended.keys)
}

const requestOf = (name: string, at: number, keys: string[]) => ({
  source: name,
  at,
  from: 0,
  to: at,
  keys,
  areRequested: true,
})

/** The tally of one round. Signals to the run steer the round. */
const under = (state: Control): Tally & Control => ({
  ...emptyTally,
  get isPaused() {
    return state.isPaused
  },
  get rate() {
    return state.rate
  },
})

/** One queue for all sources: the way of runs that began before each had its own. */
async function readTogether({ source, also = [], pause_ms }: IngestRequestedRequest, state: Tally & Control) {
  for (let n = 0; n < maxPollsPerRun && state.units + state.failed < maxUnitsPerRun; n++) {
    await waitWhilePaused(state)
    const keys = await requestedKeys()
    if (keys.length > 0) {
      state.empty = []
      for (const name of [source, ...also]) {
        const at = await instant(name)
        const { units, workers } = await planPage({ request: requestOf(name, at, keys), after: '' })
        await readUnits(units, at, state, { areRequested: true, workers })
      }
      await completeRequests({ source, also, keys, empty: state.empty })
    }
    await sleep(pause_ms)
  }
}
