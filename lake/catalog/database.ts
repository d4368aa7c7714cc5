import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

import { Kysely, PostgresDialect, sql, SqliteDialect, type Transaction } from 'kysely'
import Libsql from 'libsql'
import pg from 'pg'

import type { CatalogTables } from './tables.ts'

/** An open database of the catalog. */
export type Database = {
  dialect: 'sqlite' | 'postgres'
  db: Kysely<CatalogTables>
  /** Whether it has no catalog yet. */
  isNew: () => Promise<boolean>
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
  const isNew = async (): Promise<boolean> => database.prepare(`select 1 from sqlite_master limit 1`).all().length === 0
  return {
    dialect: 'sqlite',
    db,
    isNew,
    run: async (statements) => void database.exec(`begin immediate; ${statements} commit`),
    close: () => db.destroy(),
  }
}

function openPostgres(connectionString: string): Database {
  const pool = new pg.Pool({
    connectionString,
    types: { getTypeParser: parserOf },
  })
  const db = new Kysely<CatalogTables>({ dialect: new PostgresDialect({ pool }) })
  return {
    dialect: 'postgres',
    db,
    isNew: async () => {
      const { rows } = await sql`select 1 from pg_tables where tablename = 'tapeline_metadata'`.execute(db)
      return rows.length === 0
    },
    // Two processes that create the same table at once would fail. An index locks its table even where it exists, so a
    // writer and the statements would each wait for the other: the writer's own lock comes first.
    run: (statements) =>
      db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(7253016)`.execute(tx)
        const { rows } = await sql`select 1 where to_regclass('ducklake_snapshot') is not null`.execute(tx)
        if (rows.length > 0) await lockCatalog(tx, 'postgres')
        await sql.raw(statements).execute(tx)
      }),
    close: () => db.destroy(),
  }
}

/** Makes other writers wait until this transaction ends. Readers do not wait. */
export const lockCatalog = (tx: Transaction<CatalogTables>, dialect: Database['dialect']): Promise<unknown> =>
  (dialect === 'postgres'
    ? sql`lock table ducklake_snapshot in exclusive mode`
    : sql`update tapeline_metadata set value = value where key = 'format'`
  ).execute(tx)

const int8: number = pg.types.builtins.INT8
/** BIGINT is safe as a number: ids, counts and microseconds stay below 2^53. */
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown)
