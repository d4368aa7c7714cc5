import type { Kysely } from 'kysely'

/** The alerts of accounts, the messages that they caused, and the messages that are to be sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('alerts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('entity', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('threshold', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .execute()
  await schema.createIndex('alerts_by_account').on('alerts').column('account_id').execute()
  await schema.createIndex('alerts_by_address').on('alerts').column('address').execute()
  await schema
    .createTable('firings')
    .addColumn('alert_id', 'text', (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('fired_at', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('firings_pk', ['alert_id', 'cause'])
    .execute()
  // Firings are kept. Each needs the last position of its account.
  await schema.createIndex('firings_by_account').on('firings').columns(['account_id', 'position']).execute()
  await schema
    .createTable('outbox')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('n_tries', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('outbox_pk', ['account_id', 'position'])
    .execute()
}
