import type { Kysely, Migration } from 'kysely'

/** The migrations of the store, in order. A released one is never changed. Each can run twice. */
export const migrations: Record<string, Migration> = {
  '0001_accounts': {
    up: async (db: Kysely<unknown>) => {
      const table = (name: string) => db.schema.createTable(name).ifNotExists()
      await table('accounts')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('tier', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await table('keys')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
        .addColumn('start', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('revoked_at', 'bigint')
        .execute()
      await table('wanted')
        .addColumn('address', 'text', (column) => column.primaryKey())
        .addColumn('asked_at', 'bigint', (column) => column.notNull())
        .execute()
      await table('secrets')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
    },
  },
  '0002_idempotency_keys': {
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('idempotency_keys')
        .ifNotExists()
        .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('fingerprint', 'text', (column) => column.notNull())
        .addColumn('status', 'integer', (column) => column.notNull())
        .addColumn('headers', 'text', (column) => column.notNull())
        .addColumn('body', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('idempotency_keys_pk', ['account_id', 'key'])
        .execute()
      await db.schema
        .createIndex('idempotency_keys_by_age')
        .ifNotExists()
        .on('idempotency_keys')
        .column('created_at')
        .execute()
    },
  },
}
