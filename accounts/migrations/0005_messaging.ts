import type { Kysely } from 'kysely'

/** The messaging account of each account, the open links to it, and the leases of work that one process does. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('messaging')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('handle', 'text', (column) => column.notNull())
    .addColumn('chat_id', 'bigint')
    .addColumn('linked_at', 'bigint')
    .execute()
  await schema.createIndex('messaging_by_chat').unique().on('messaging').column('chat_id').execute()
  await schema
    .createTable('messaging_links')
    .addColumn('account_id', 'text', (column) => column.primaryKey().references('accounts.id'))
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('handle', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('messaging_links_by_token').unique().on('messaging_links').column('token_hash').execute()
  await schema
    .createTable('leases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
}
