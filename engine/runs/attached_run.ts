import { setTimeout as sleep } from 'node:timers/promises'

import type { Run } from '#engine/engine.ts'

import type { RunDatabase } from './run_database.ts'
import { liveRuns, outcomeOf, type RunRow } from './run_rows.ts'
import { sendSignal, type SignalRequest } from './run_signals.ts'

type Query = <T>(work: (database: RunDatabase) => Promise<T>) => Promise<T>

const look_ms = 250

/**
 * A run of another process of the home. Its progress and its end are read from the registry. Its result rejects if its
 * process is killed, and when `ending` aborts.
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
      return row === undefined ? undefined : (JSON.parse(row.progress) as never)
    },
    result: async () => {
      while ((await current()) !== undefined) await sleep(look_ms, undefined, { signal: ending })
      const outcome = await query((db) => outcomeOf(db, key))
      if (outcome === undefined)
        throw new Error(
          `${id}: the process that ran it was killed; expected the same command again, which continues it`,
        )
      if ('error' in outcome) throw Object.assign(new Error(outcome.error), { name: outcome.name })
      return outcome.result
    },
    signal: ({ name }, ...args) => send({ name, args }),
    cancel: () => send({ name: 'cancel', args: [] }),
  }
}
