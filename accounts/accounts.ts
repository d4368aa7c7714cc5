import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

import { Kysely, Migrator, SqliteDialect } from 'kysely'
import Libsql from 'libsql'

import type { Micros } from '#time.ts'

import { migrations } from './migrations.ts'
import type { Tier } from './tiers.ts'

/** The tables of the store. */
type Tables = {
  accounts: { id: string; tier: Tier; created_at: Micros }
  /** `hash` is the SHA-256 of the key in hex. `start` holds its first characters, which identify the key on a page. */
  keys: { hash: string; account_id: string; start: string; created_at: Micros; revoked_at: Micros | null }
  /** Requested accounts that are not read yet. */
  wanted: { address: string; asked_at: Micros }
  /** The first response to a write, by the caller's `Idempotency-Key`. `headers` is JSON: pairs of name and value. */
  idempotency_keys: {
    account_id: string
    key: string
    fingerprint: string
    status: number
    headers: string
    body: string
    created_at: Micros
  }
  /** Secrets of this installation. */
  secrets: { name: string; value: string }
}

export type Accounts = Kysely<Tables>

/**
 * Opens the store, and creates and migrates it as needed. Several processes may open it; writers wait for each other.
 * Close it with `destroy()`.
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
  // If two processes migrate at once, one of them fails to record its step. Every step may run twice, so it retries.
  const { error } = (await migrate()).error ? await migrate() : {}
  if (error) {
    await accounts.destroy()
    throw new Error(`${path}: migration failed`, { cause: error })
  }
  return accounts
}

/** A secret of this installation: 32 bytes, created at the first request. */
export async function secretOf(accounts: Accounts, name: string): Promise<Buffer> {
  const value = randomBytes(32).toString('base64url')
  await accounts
    .insertInto('secrets')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const stored = await accounts.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return Buffer.from(stored.value, 'base64url')
}
