import { randomUUID } from 'node:crypto'

import { sql, type Kysely } from 'kysely'

import { dialectOf } from '#accounts/database.ts'

/**
 * People who sign in, their sessions, named keys, use by the hour, shared windows of rate limits and the audit.
 *
 * `users`, `sessions`, `credentials` and `verifications` are the tables of better-auth, with the names of its indexes.
 * It stores instants as text in SQLite. The id of a user is the id of the account.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = dialectOf(db) === 'postgres'
  const instant = isPostgres ? 'timestamptz' : 'date'
  await createUsers(db, instant, isPostgres ? 'boolean' : 'integer')
  await createSecretsOfUsers(db, instant)
  await extendKeys(db)
  await createCounters(db)
}

type Instant = 'timestamptz' | 'date'

async function createUsers(db: Kysely<unknown>, instant: Instant, flag: 'boolean' | 'integer'): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_verified', flag, (column) => column.notNull())
    .addColumn('image', 'text')
    .addColumn('created_at', instant, (column) => column.notNull())
    .addColumn('updated_at', instant, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('users_email_uidx').unique().on('users').column('email').execute()
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('token', 'text', (column) => column.notNull())
    .addColumn('expires_at', instant, (column) => column.notNull())
    .addColumn('ip_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', instant, (column) => column.notNull())
    .addColumn('updated_at', instant, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sessions_token_uidx').unique().on('sessions').column('token').execute()
  await db.schema.createIndex('sessions_user_id_idx').on('sessions').column('user_id').execute()
}

async function createSecretsOfUsers(db: Kysely<unknown>, instant: Instant): Promise<void> {
  await db.schema
    .createTable('credentials')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('provider_account_id', 'text', (column) => column.notNull())
    .addColumn('password', 'text')
    .addColumn('access_token', 'text')
    .addColumn('access_token_expires_at', instant)
    .addColumn('refresh_token', 'text')
    .addColumn('refresh_token_expires_at', instant)
    .addColumn('id_token', 'text')
    .addColumn('scope', 'text')
    .addColumn('created_at', instant, (column) => column.notNull())
    .addColumn('updated_at', instant, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('credentials_user_id_idx').on('credentials').column('user_id').execute()
  await db.schema
    .createTable('verifications')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('identifier', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('expires_at', instant, (column) => column.notNull())
    .addColumn('created_at', instant, (column) => column.notNull())
    .addColumn('updated_at', instant, (column) => column.notNull())
    .execute()
  await db.schema.createIndex('verifications_identifier_idx').on('verifications').column('identifier').execute()
}

/** Gives a key an id, a name and the time of its last use, and lets an account be disabled. */
async function extendKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('disabled_at', 'bigint').execute()
  const text = (name: string) =>
    db.schema
      .alterTable('keys')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  await text('id')
  await text('name')
  await db.schema.alterTable('keys').addColumn('last_used_at', 'bigint').execute()
  const { rows } = await sql<{ hash: string }>`select hash from keys`.execute(db)
  for (const { hash } of rows) await sql`update keys set id = ${randomUUID()} where hash = ${hash}`.execute(db)
  await db.schema.createIndex('keys_by_id').unique().on('keys').column('id').execute()
  await db.schema.createIndex('keys_by_account').on('keys').column('account_id').execute()
}

async function createCounters(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('limited', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', ['account_id', 'hour'])
    .execute()
  await db.schema
    .createTable('rate_windows')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('begins_at', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('rate_windows_pk', ['name', 'begins_at'])
    .execute()
  await db.schema
    .createTable('audit')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('account_id', 'text')
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('network', 'text')
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('audit_by_time').on('audit').columns(['at', 'id']).execute()
}
