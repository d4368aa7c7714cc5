import { setTimeout as sleep } from 'node:timers/promises'

import { ProcessKilled, type Run } from '#engine/engine.ts'

import type { RunDatabase } from './run_database.ts'
import { liveRuns, outcomeOf, progressOf, type RunOutcome, type RunRow } from './run_rows.ts'
import { sendSignal, type SignalRequest } from './run_signals.ts'

type Query = <T>(work: (database: RunDatabase) => Promise<T>) => Promise<T>

const look_ms = 250
/** A process that slept, or whose clock was changed, looks dead until it has written again. It has so long to do it. */
const return_ms = 3_000

/**
 * A run of another process of the home. Its progress and its end are read from the registry. Its result rejects with
 * {@link ProcessKilled}, and when `ending` aborts.
 */
export function attachedRun(query: Query, run: RunRow, ending: AbortSignal): Run<unknown> {
  const { id, key } = run
  const send = (signal: SignalRequest): Promise<void> => sendSignal(query, run, signal)
  const current = async (): Promise<RunRow | undefined> =>
    (await query((db) => liveRuns(db, id))).find((row) => row.key === key)
  return {
    id,
    isOld: true,
    query: async ({ name }) => {
      const row = name === 'progress' ? await current() : undefined
      return row === undefined ? undefined : (progressOf(row) as never)
    },
    result: async () => {
      const ended = (): Promise<RunOutcome | undefined> => query((db) => outcomeOf(db, key))
      let outcome: RunOutcome | undefined
      for (let gone_ms = 0; outcome === undefined && gone_ms <= return_ms; gone_ms += look_ms) {
        if ((await current()) !== undefined) gone_ms = 0
        else outcome = await ended()
        if (outcome === undefined) await sleep(look_ms, undefined, { signal: ending })
      }
      if (outcome === undefined) throw new ProcessKilled(id)
      if ('error' in outcome) throw Object.assign(new Error(outcome.error), { name: outcome.name })
      return outcome.result
    },
    signal: ({ name }, ...args) => send({ name, args }),
    cancel: () => send({ name: 'cancel', args: [] }),
  }
}
