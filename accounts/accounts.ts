import { randomBytes } from 'node:crypto'

import { Migrator, type Kysely } from 'kysely'

import { openDatabase } from './database.ts'
import { migrations } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/** The store of accounts, or a transaction of it. */
export type Accounts = Kysely<Tables>

/**
 * Opens the store: an SQLite file, or a PostgreSQL database by its URL. Creates and migrates it as needed. Several
 * processes may open it at once; writers wait for each other. Close it with `destroy()`.
 */
export async function openAccounts(urlOrFile: string): Promise<Accounts> {
  const { db, schema, alone } = openDatabase<Tables>(urlOrFile)
  try {
    await alone(async (connection) => {
      const migrator = new Migrator({
        db: connection,
        provider: { getMigrations: async () => migrations },
        ...(schema === undefined ? {} : { migrationTableSchema: schema }),
      })
      const { error } = await migrator.migrateToLatest()
      if (error) throw new Error(`store of accounts: ${problemOf(error)}`, { cause: error })
    })
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Migrations go forward only, so the migrator calls a store corrupted that a newer version has changed. */
function problemOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const newer = /^corrupted migrations: previously executed migration (\S+) is missing/.exec(reason)?.[1]
  return newer === undefined
    ? `${reason}; expected tables of this version`
    : `it has the migration ${newer}, which this version does not know; expected the newer version that wrote it`
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

/**
 * Takes the write lock of an account until the transaction ends. As the first statement of a transaction, it makes a
 * read and a later write one step. Returns whether the account exists.
 */
export async function lockAccount(transaction: Accounts, account_id: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('accounts')
    .set((eb) => ({ tier: eb.ref('tier') }))
    .where('id', '=', account_id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
