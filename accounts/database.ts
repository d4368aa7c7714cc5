import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

import { CompiledQuery, Kysely, PostgresAdapter, PostgresDialect, SqliteDialect, type SqliteDatabase } from 'kysely'
import Libsql from 'libsql'
import type pg from 'pg'

/** An open database of the store. */
export type Database<Tables> = {
  db: Kysely<Tables>
  /** The schema of the tables; undefined where the database has none. */
  schema: string | undefined
  /** Runs `work` on one connection, in turn with the same call of other processes. */
  alone: (work: (db: Kysely<Tables>) => Promise<void>) => Promise<void>
}

/** The tables lie in their own schema of PostgreSQL, beside the catalog of the lake. */
const schema = 'tapeline_accounts'

/** Writers wait so long for another process, and a request waits so long for a connection. */
const timeout_ms = 10_000

/** Opens a PostgreSQL database by its URL, or an SQLite file, which is created as needed. */
export const openDatabase = <Tables>(urlOrFile: string): Database<Tables> =>
  /^postgres(ql)?:/.test(urlOrFile) ? openPostgres(urlOrFile) : openSqlite(urlOrFile)

/** The dialect of an open database or transaction. */
export const dialectOf = (db: Pick<Kysely<unknown>, 'getExecutor'>): 'postgres' | 'sqlite' =>
  db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'

function openSqlite<Tables>(path: string): Database<Tables> {
  mkdirSync(dirname(path), { recursive: true })
  const database = new Libsql(path, { timeout: timeout_ms })
  chmodSync(path, 0o600)
  database.pragma('journal_mode = WAL')
  database.pragma('foreign_keys = ON')
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: withSafeRollback(database) }) })
  const locked = async (work: (db: Kysely<Tables>) => Promise<void>): Promise<void> => {
    database.exec('begin immediate')
    try {
      await work(db)
      database.exec('commit')
    } catch (error) {
      if (database.inTransaction) database.exec('rollback')
      throw error
    }
  }
  const alone: Database<Tables>['alone'] = async (work) => {
    const mine = turn.then(() => locked(work))
    turn = mine.catch(() => undefined)
    await mine
  }
  return { db, schema: undefined, alone }
}

/** SQLite itself ends a transaction on a full disk. A rollback would then be an error that hides the first one. */
const withSafeRollback = (database: Libsql.Database): SqliteDatabase => ({
  close: () => void database.close(),
  prepare: (text) => database.prepare(text === 'rollback' && !database.inTransaction ? 'select 1' : text),
})

/** The last call of this process. A second `begin immediate` would block the thread, and with it the first call. */
let turn: Promise<unknown> = Promise.resolve()

function openPostgres<Tables>(connectionString: string): Database<Tables> {
  const alone: Database<Tables>['alone'] = async (work) => {
    const db = connect<Tables>({ connectionString, max: 1 }, [
      // The lock ends with the connection.
      'select pg_advisory_lock(7253017)',
      `create schema if not exists ${schema}`,
    ])
    try {
      await work(db)
    } finally {
      await db.destroy()
    }
  }
  return { db: connect({ connectionString, connectionTimeoutMillis: timeout_ms }), schema, alone }
}

function connect<Tables>(config: pg.PoolConfig, first: readonly string[] = []): Kysely<Tables> {
  const dialect = new PostgresDialect({
    pool: () => openPool(config),
    onCreateConnection: async (connection) => {
      for (const statement of [...first, `set search_path to ${schema}`])
        await connection.executeQuery(CompiledQuery.raw(statement))
    },
  })
  return new Kysely<Tables>({ dialect })
}

/** Loads its library here, since most installations have no PostgreSQL. */
async function openPool(config: pg.PoolConfig): Promise<pg.Pool> {
  const { default: library } = await import('pg')
  const { types } = library
  const int8: number = types.builtins.INT8
  // BIGINT is safe as a number: counts and microseconds stay below 2^53.
  const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : (types.getTypeParser(oid, format) as (value: string) => unknown)
  const pool = new library.Pool({ ...config, types: { getTypeParser } })
  // The pool replaces a connection that broke while it was idle. One that breaks in use fails its next query. Without
  // listeners the events would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** The reason for a temporary failure of the store of accounts: its disk is full, or other connections occupy it. */
export type StoreFault = 'full' | 'busy'

/** The codes of SQLite and of PostgreSQL (`disk_full`, `too_many_connections`). */
const faults: Record<string, StoreFault> = {
  SQLITE_FULL: 'full',
  SQLITE_IOERR_WRITE: 'full',
  53100: 'full',
  SQLITE_BUSY: 'busy',
  SQLITE_LOCKED: 'busy',
  53300: 'busy',
}

/** The passing fault of the store that an error or its cause reports; null for any other error. */
export function storeFaultOf(error: unknown): StoreFault | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return faults[code] ?? storeFaultOf(error.cause)
}
