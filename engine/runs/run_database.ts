import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

import { Kysely, SqliteDialect, type Generated } from 'kysely'
import Libsql from 'libsql'

/** The tables of the registry of runs. A running process renews `beat_at`, in seconds since 1970. */
type Tables = {
  processes: { id: string; host: string; pid: number; beat_at: number }
  runs: { key: string; process: string; id: string; workflow: string; progress: string }
  outcomes: { run: string; outcome: string; ended_at: number }
  signals: { id: Generated<number>; run: string; name: string; args: string }
}

export type RunDatabase = Kysely<Tables>

/**
 * Runs queries on the registry's file, which the first query creates. The file describes only current runs, so a
 * damaged file is replaced by an empty file.
 */
export function openRunDatabase(file: string): {
  query: <T>(work: (database: RunDatabase) => Promise<T>) => Promise<T>
  close: () => Promise<void>
} {
  let opened: RunDatabase | undefined
  const close = async (): Promise<void> => {
    const database = opened
    opened = undefined
    await database?.destroy()
  }
  const attempt = <T>(work: (database: RunDatabase) => Promise<T>): Promise<T> => work((opened ??= openFile(file)))
  return {
    query: async (work) => {
      try {
        return await attempt(work)
      } catch (error) {
        if (!isDamage(error)) throw error
        await close()
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
        return attempt(work)
      }
    },
    close,
  }
}

function openFile(file: string): RunDatabase {
  mkdirSync(dirname(file), { recursive: true })
  const database = new Libsql(file, { timeout: 5_000 })
  try {
    database.pragma('journal_mode = WAL')
    // A loss of power ends all runs, so no write needs to reach the disk at once.
    database.pragma('synchronous = OFF')
    database.exec(schema)
  } catch (error) {
    database.close()
    throw error
  }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
}

const schema = `
  create table if not exists processes (id text primary key, host text not null, pid integer not null,
    beat_at real not null);
  create table if not exists runs (key text primary key, process text not null, id text not null,
    workflow text not null, progress text not null);
  create table if not exists outcomes (run text primary key, outcome text not null, ended_at real not null);
  create table if not exists signals (id integer primary key autoincrement, run text not null, name text not null,
    args text not null);
`

/** Whether the file is damaged; a lock or a full disk is no damage. */
const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(String(error.code))
