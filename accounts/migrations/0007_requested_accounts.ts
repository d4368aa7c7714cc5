import type { Kysely } from 'kysely'

/**
 * `is_trader` marks requested accounts with stored trades. `empty_accounts` has requested accounts that no venue knew
 * when it was asked.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('wanted')
    .addColumn('is_trader', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .createTable('empty_accounts')
    .addColumn('address', 'text', (column) => column.primaryKey())
    .addColumn('read_at', 'bigint', (column) => column.notNull())
    .execute()
  // The notes of the day before are removed by time.
  await schema.createIndex('empty_accounts_by_time').on('empty_accounts').column('read_at').execute()
}
