import type { Kysely } from 'kysely'

/** The watchlists of accounts, the addresses that they follow, and the next request of each followed address. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('watchlists')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('items', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('watchlists_by_account').on('watchlists').columns(['account_id', 'created_at']).execute()
  await schema
    .createTable('followed')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('watchlist_id', 'text', (column) => column.notNull().references('watchlists.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('followed_pk', ['address', 'watchlist_id'])
    .execute()
  await schema.createIndex('followed_by_watchlist').on('followed').column('watchlist_id').execute()
  await schema
    .createTable('followed_requests')
    .addColumn('address', 'text', (column) => column.primaryKey())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .execute()
}
