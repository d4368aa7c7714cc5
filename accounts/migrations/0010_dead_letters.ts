import type { Kysely } from 'kysely'

/** The messages that were given up, which a person sees and sends again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dead_letters')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('dead_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('dead_letters_pk', ['account_id', 'position'])
    .execute()
}
