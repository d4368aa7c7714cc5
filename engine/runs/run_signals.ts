import { setTimeout as sleep } from 'node:timers/promises'

import { NotRunning } from '#engine/engine.ts'

import type { RunDatabase } from './run_database.ts'
import { liveRuns } from './run_rows.ts'

/** A signal by name, or `cancel`. */
export type SignalRequest = { name: string; args: unknown[] }

type Query = <T>(work: (database: RunDatabase) => Promise<T>) => Promise<T>

/** The time that a process has to take a signal, and the interval at which the sender checks. */
const patience_ms = 10_000
const look_ms = 100

/**
 * Takes the signals for some runs, in the order in which they were sent, and applies each. The deletion of a row
 * acknowledges its signal to the sender. Returns the number of signals.
 */
export async function takeSignals(
  query: Query,
  keys: string[],
  apply: (key: string, signal: SignalRequest) => Promise<void>,
): Promise<number> {
  const rows = await query((db) =>
    db.selectFrom('signals').selectAll().where('run', 'in', keys).orderBy('id').execute(),
  )
  for (const { id, run, name, args } of rows) {
    await query((db) => db.deleteFrom('signals').where('id', '=', id).execute())
    const parsed = parseArgs(args)
    if (parsed !== undefined) await apply(run, { name, args: parsed })
  }
  return rows.length
}

/** Sends a signal to a run of any process, and waits until that process has taken it. */
export async function sendSignal(
  query: Query,
  { id, key }: { id: string; key: string },
  { name, args }: SignalRequest,
): Promise<void> {
  const values = { run: key, name, args: JSON.stringify(args) }
  const { insertId } = await query((db) => db.insertInto('signals').values(values).executeTakeFirstOrThrow())
  const row = Number(insertId)
  const isTaken = (): Promise<boolean> =>
    query(async (db) => (await db.selectFrom('signals').select('id').where('id', '=', row).execute()).length === 0)
  for (let waited_ms = 0; !(await isTaken()); waited_ms += look_ms) {
    const runs = await query((db) => liveRuns(db))
    if (waited_ms >= patience_ms || !runs.some((run) => run.key === key)) {
      // The row is deleted, so that a signal reported as lost is not applied later. A missing row was taken just now.
      const { numDeletedRows } = await query((db) => db.deleteFrom('signals').where('id', '=', row).executeTakeFirst())
      if (numDeletedRows > 0n) throw new NotRunning(id, runs)
      return
    }
    await sleep(look_ms)
  }
}

/** Arguments that are no JSON array are damaged, since only this program writes rows. Their signal is dropped. */
function parseArgs(json: string): unknown[] | undefined {
  try {
    const args: unknown = JSON.parse(json)
    return Array.isArray(args) ? args : undefined
  } catch {
    return undefined
  }
}
