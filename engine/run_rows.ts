import { hostname } from 'node:os'

import { sql } from 'kysely'

import type { RunDatabase } from './run_database.ts'

/** A run as its row holds it; `progress` is JSON. A key belongs to one start of a run, an id to all of them. */
export type RunRow = { key: string; process: string; id: string; workflow: string; progress: string }

/** A process that is silent for this long is dead, even if another process has its number by now. */
const silence_s = 60

/** The time in seconds as every process on this database sees it. */
const databaseTime = sql<number>`unixepoch('subsec')`

/** Renews the heartbeat of this process. False where the registry did not know it, and so has none of its runs. */
export async function renewProcess(database: RunDatabase, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('processes')
    .set({ beat_at: databaseTime })
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return true
  await removeDeadProcesses(database)
  const values = { id, host: hostname(), pid: process.pid, beat_at: databaseTime }
  // Two runs that are registered at once both come here.
  await database
    .insertInto('processes')
    .values(values)
    .onConflict((row) => row.doNothing())
    .execute()
  return false
}

/** Removes the processes that were killed, their runs, and the signals for runs that are gone. */
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

/** Removes this process; its runs have ended before. */
export const removeProcess = async (database: RunDatabase, id: string): Promise<void> => {
  await database.deleteFrom('processes').where('id', '=', id).execute()
}

/** The runs of processes that live, by their ids; or those of one id. */
export async function liveRuns(database: RunDatabase, id?: string): Promise<RunRow[]> {
  const rows = await database
    .selectFrom('runs')
    .innerJoin('processes', 'processes.id', 'runs.process')
    .select(['key', 'process', 'runs.id', 'workflow', 'progress', 'host', 'pid', 'beat_at', databaseTime.as('now')])
    .$if(id !== undefined, (runs) => runs.where('runs.id', '=', id ?? ''))
    .orderBy('runs.id')
    .execute()
  return rows.filter(isAlive).map(({ host: _host, pid: _pid, beat_at: _beat_at, now: _now, ...run }) => run)
}

/** Writes runs, or the progress of runs that are there. */
export const writeRuns = async (database: RunDatabase, runs: RunRow[]): Promise<void> => {
  if (runs.length === 0) return
  await database
    .insertInto('runs')
    .values(runs)
    .onConflict((row) => row.column('key').doUpdateSet({ progress: sql`excluded.progress` }))
    .execute()
}

export const removeRun = async (database: RunDatabase, key: string): Promise<void> => {
  await database.deleteFrom('runs').where('key', '=', key).execute()
}

type RunProcess = { host: string; pid: number; beat_at: number; now: number }

/** Whether a process lives. Of a process on another machine that shares the file, only its silence decides. */
const isAlive = ({ host, pid, beat_at, now }: RunProcess): boolean =>
  now - beat_at < silence_s && (host !== hostname() || isProcess(pid))

/** Whether a process of this machine lives; one of another user does too. */
function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
