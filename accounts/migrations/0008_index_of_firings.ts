import type { Kysely } from 'kysely'

/**
 * The index of `0006_alerts`, for stores that were made before that migration had it. Without the index each firing
 * reads all firings of the store, to find the last position of its account.
 *
 * The index of any other store stays as it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createIndex('firings_by_account')
    // Stores that `0006_alerts` makes now have it.
    .ifNotExists()
    .on('firings')
    // The last position of an account is the end of its range in the index. The search therefore reads one entry,
    // however many firings the account and the store have.
    .columns(['account_id', 'position'])
    .execute()
}
