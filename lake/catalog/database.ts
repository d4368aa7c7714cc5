import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { Kysely, PostgresDialect, sql, SqliteDialect, type Transaction } from 'kysely'
import Libsql from 'libsql'
import type pg from 'pg'

import type { CatalogTables } from './tables.ts'

/** An open database of the catalog. */
export type Database = {
  dialect: 'sqlite' | 'postgres'
  db: Kysely<CatalogTables>
  /** Whether it has no catalog yet. */
  isNew: () => Promise<boolean>
  /** Whether its pages can be read. */
  isReadable: () => Promise<boolean>
  /** Makes other writers wait until a transaction ends. Readers do not wait. */
  lock: (tx: Transaction<CatalogTables>) => Promise<unknown>
  /** Runs statements that return nothing. */
  run: (statements: string) => Promise<void>
  close: () => Promise<void>
}

/** Writers wait so long for the transaction of another process. */
const lockTimeout_ms = 60_000

/** Opens a PostgreSQL database by its URL, or an SQLite file, which is created as needed. */
export const openDatabase = (urlOrFile: string): Database =>
  /^postgres(ql)?:/.test(urlOrFile) ? openPostgres(urlOrFile) : openSqlite(urlOrFile)

function openSqlite(file: string): Database {
  mkdirSync(dirname(file), { recursive: true })
  const database = new Libsql(file, { timeout: lockTimeout_ms })
  database.pragma('journal_mode = WAL')
  // After a loss of power the last commits may be missing, never in part. Their units are read again.
  database.pragma('synchronous = NORMAL')
  const db = new Kysely<CatalogTables>({ dialect: new SqliteDialect({ database }) })
  const { ino } = statSync(file)
  return {
    dialect: 'sqlite',
    db,
    isNew: async () =>
      database.prepare(`select 1 from sqlite_master where name = 'tapeline_metadata'`).all().length === 0,
    isReadable: async () => {
      const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(db)
      return rows[0]?.quick_check === 'ok'
    },
    lock: (tx) => {
      // Commits to a file that was removed or replaced would be lost.
      if (statSync(file, { throwIfNoEntry: false })?.ino !== ino)
        throw new Error(`${file}: removed or replaced while it was open; expected \`tapeline repair\` and a restart`)
      return sql`update tapeline_metadata set value = value where key = 'format'`.execute(tx)
    },
    run: async (statements) => void database.exec(`begin immediate; ${statements} commit`),
    close: async () => {
      if (!database.open) return
      try {
        // The connection ends when the garbage collector has taken its statements. The file has all rows before that.
        database.pragma('wal_checkpoint(PASSIVE)')
      } finally {
        await db.destroy()
        // Kysely closes only a database that it has used.
        database.close()
      }
    },
  }
}

function openPostgres(connectionString: string): Database {
  const db = new Kysely<CatalogTables>({ dialect: new PostgresDialect({ pool: () => openPool({ connectionString }) }) })
  return {
    dialect: 'postgres',
    db,
    isNew: async () => {
      const { rows } = await sql`select 1 from pg_tables where tablename = 'tapeline_metadata'`.execute(db)
      return rows.length === 0
    },
    isReadable: async () => true,
    lock: lockPostgres,
    // Two processes that create the same table at once would fail. An index locks its table even where it exists, so a
    // writer and the statements would each wait for the other: the writer's own lock comes first.
    run: (statements) =>
      db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(7253016)`.execute(tx)
        const { rows } = await sql`select 1 where to_regclass('ducklake_snapshot') is not null`.execute(tx)
        if (rows.length > 0) await lockPostgres(tx)
        await sql.raw(statements).execute(tx)
      }),
    close: () => db.destroy(),
  }
}

const lockPostgres: Database['lock'] = (tx) => sql`lock table ducklake_snapshot in exclusive mode`.execute(tx)

/** Loads its library here, since most installations have no PostgreSQL. */
async function openPool(config: pg.PoolConfig): Promise<pg.Pool> {
  const { default: library } = await import('pg')
  const { types } = library
  const int8: number = types.builtins.INT8
  // BIGINT is safe as a number: ids, counts and microseconds stay below 2^53.
  const getTypeParser: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : (types.getTypeParser(oid, format) as (value: string) => unknown)
  const pool = new library.Pool({ ...config, types: { getTypeParser } })
  // The pool replaces a connection that broke while it was idle. One that breaks in use fails its next query. Without
  // listeners the events would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
