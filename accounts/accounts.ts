import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

import { Kysely, Migrator, SqliteDialect } from 'kysely'
import Libsql from 'libsql'

import { migrations } from './migrations.ts'
import type { Tier } from './tiers.ts'

/** An instant: microseconds since 1970 UTC. */
export type Micros = number

/** The tables of the store. */
type Tables = {
  accounts: { id: string; tier: Tier; created_at: Micros }
  /** `hash` is the SHA-256 of the key in hex; `start` its first characters, which identify the key on a page. */
  keys: { hash: string; account_id: string; start: string; created_at: Micros; revoked_at: Micros | null }
  /** Addresses that were asked for and have never been pulled. */
  wanted: { address: string; asked_at: Micros }
  /** Secrets of this installation. */
  secrets: { name: string; value: string }
}

export type Accounts = Kysely<Tables>

/**
 * Opens the store, creating and migrating it as needed. Several processes may have it open: writers wait for each
 * other. Close it with `destroy()`.
 */
export async function openAccounts(path: string): Promise<Accounts> {
  mkdirSync(dirname(path), { recursive: true })
  const database = new Libsql(path, { timeout: 10_000 })
  chmodSync(path, 0o600)
  database.pragma('journal_mode = WAL')
  database.pragma('foreign_keys = ON')
  const accounts = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
  const migrate = () =>
    new Migrator({ db: accounts, provider: { getMigrations: async () => migrations } }).migrateToLatest()
  // Of two processes that migrate at once one fails to note its step. The steps may be taken twice, and the second
  // time nothing is left to do.
  const { error } = (await migrate()).error ? await migrate() : {}
  if (error) {
    await accounts.destroy()
    throw new Error(`${path} could not be brought up to date`, { cause: error })
  }
  return accounts
}
