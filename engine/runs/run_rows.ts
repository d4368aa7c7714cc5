import { hostname } from 'node:os'

import { sql } from 'kysely'

import type { RunDatabase } from './run_database.ts'

/** The row of a run; `progress` is JSON. Each start of a run has its own key; all starts share the id. */
export type RunRow = { key: string; process: string; id: string; workflow: string; progress: string }

/** A process without a heartbeat for this long is dead, even if another process has its number. */
const silence_s = 60

/** The time of the database in seconds, which is the same for all processes. */
const databaseTime = sql<number>`unixepoch('subsec')`

/** The progress of a run. A row that does not parse is damaged, since only this program writes rows. */
export function progressOf({ progress }: Pick<RunRow, 'progress'>): unknown {
  try {
    return JSON.parse(progress)
  } catch {
    return null
  }
}

/**
 * Renews the heartbeat of this process. False if it was dead to the others, which may have begun its runs: the registry
 * then has none of its runs.
 */
export async function renewProcess(database: RunDatabase, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('processes')
    .set({ beat_at: databaseTime })
    .where('id', '=', id)
    .where('beat_at', '>', sql<number>`${databaseTime} - ${silence_s}`)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return true
  await removeDeadProcesses(database)
  const values = { id, host: hostname(), pid: process.pid, beat_at: databaseTime }
  // Two concurrent registrations may both insert the row.
  await database
    .insertInto('processes')
    .values(values)
    .onConflict((row) => row.doNothing())
    .execute()
  return false
}

/** Removes killed processes, their runs, and signals for removed runs. */
async function removeDeadProcesses(database: RunDatabase): Promise<void> {
  const all = await database.selectFrom('processes').selectAll().select(databaseTime.as('now')).execute()
  const dead = all.filter((row) => !isAlive(row)).map(({ id }) => id)
  if (dead.length === 0) return
  await database.deleteFrom('processes').where('id', 'in', dead).execute()
  await database.deleteFrom('runs').where('process', 'in', dead).execute()
  await database
    .deleteFrom('signals')
    .where('run', 'not in', (runs) => runs.selectFrom('runs').select('key'))
    .execute()
}

/** Removes this process, after its runs have ended. */
export const removeProcess = async (database: RunDatabase, id: string): Promise<void> => {
  await database.deleteFrom('processes').where('id', '=', id).execute()
}

/** The runs of live processes in the order of their ids and beginnings; with `id`, only the runs of that id. */
export async function liveRuns(database: RunDatabase, id?: string): Promise<RunRow[]> {
  const rows = await database
    .selectFrom('runs')
    .innerJoin('processes', 'processes.id', 'runs.process')
    .select(['key', 'process', 'runs.id', 'workflow', 'progress', 'host', 'pid', 'beat_at', databaseTime.as('now')])
    .$if(id !== undefined, (runs) => runs.where('runs.id', '=', id ?? ''))
    .orderBy('runs.id')
    .orderBy(sql`runs.rowid`)
    .execute()
  return rows.filter(isAlive).map(({ host: _host, pid: _pid, beat_at: _beat_at, now: _now, ...run }) => run)
}

/** Inserts runs, or updates the progress of existing runs. */
export const writeRuns = async (database: RunDatabase, runs: RunRow[]): Promise<void> => {
  if (runs.length === 0) return
  await database
    .insertInto('runs')
    .values(runs)
    .onConflict((row) => row.column('key').doUpdateSet({ progress: sql`excluded.progress` }))
    .execute()
}

/** The outcome of a run, for the processes that wait for it: its result, or the name and message of its error. */
export type RunOutcome = { result?: unknown } | { error: string; name: string }

/** The seconds for which an outcome is kept, so that other processes can read it. */
const keepOutcome_s = 60

/** Removes a run that has ended, and keeps its outcome for a while. */
export async function endRun(database: RunDatabase, key: string, outcome: RunOutcome): Promise<void> {
  const row = { run: key, outcome: JSON.stringify(outcome), ended_at: databaseTime }
  await database
    .deleteFrom('outcomes')
    .where('ended_at', '<', sql<number>`unixepoch() - ${keepOutcome_s}`)
    .execute()
  // The outcome is written first, so that a process that finds no run finds its outcome.
  await database
    .insertInto('outcomes')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await removeRun(database, key)
}

/** The outcome of a run that ended in the last minute; undefined for one whose process was killed. */
export async function outcomeOf(database: RunDatabase, key: string): Promise<RunOutcome | undefined> {
  const row = await database.selectFrom('outcomes').select('outcome').where('run', '=', key).executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.outcome) as RunOutcome)
}

export const removeRun = async (database: RunDatabase, key: string): Promise<void> => {
  await database.deleteFrom('runs').where('key', '=', key).execute()
}

type RunProcess = { host: string; pid: number; beat_at: number; now: number }

/** Whether a process is alive. For a process on another machine, only its heartbeat decides. */
const isAlive = ({ host, pid, beat_at, now }: RunProcess): boolean =>
  now - beat_at < silence_s && (host !== hostname() || isProcess(pid))

/** Whether a process of this machine is alive, also a process of another user. */
function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
