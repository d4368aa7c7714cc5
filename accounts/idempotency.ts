import type { Micros } from '#time.ts'

import { lockAccount, type Accounts } from './accounts.ts'

/** A response to a write, as it is stored and sent. */
export type WriteResponse = { status: number; headers: [name: string, value: string][]; body: string }

/** An idempotency key was used before for another request. */
export class IdempotencyMismatch extends Error {
  override name = 'IdempotencyMismatch'
}

/** A stored response expires after this long. */
const retention_us = 24 * 3_600_000_000

/**
 * Runs a write in one transaction, at most once for each account and key. The response is stored in the same
 * transaction, so a crash leaves both the effect and the response, or neither. A repeated request gets the stored
 * response; throws `IdempotencyMismatch` if its fingerprint differs. An error rolls everything back, so the request
 * can be repeated with the same key.
 *
 * `work` gets the transaction and must use no other connection. It must do database work only, since all other users
 * of the store wait for it.
 */
export async function runOnce(
  accounts: Accounts,
  request: { account_id: string; key: string | null; fingerprint: string; now: Micros },
  work: (transaction: Accounts) => Promise<WriteResponse>,
): Promise<{ response: WriteResponse; isReplay: boolean }> {
  const { account_id, key, fingerprint, now } = request
  return accounts.transaction().execute(async (db) => {
    // No other write of the account commits between a read and a later write.
    await lockAccount(db, account_id)
    await db
      .deleteFrom('idempotency_keys')
      .where('created_at', '<=', now - retention_us)
      .execute()
    if (key === null) return { response: await work(db), isReplay: false }
    const stored = await db
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'status', 'headers', 'body'])
      .where('account_id', '=', account_id)
      .where('key', '=', key)
      .executeTakeFirst()
    if (stored && stored.fingerprint !== fingerprint) throw new IdempotencyMismatch()
    if (stored) {
      const headers = JSON.parse(stored.headers) as WriteResponse['headers']
      return { response: { status: stored.status, headers, body: stored.body }, isReplay: true }
    }
    const response = await work(db)
    const row = { account_id, key, fingerprint, created_at: now, status: response.status, body: response.body }
    await db
      .insertInto('idempotency_keys')
      .values({ ...row, headers: JSON.stringify(response.headers) })
      .execute()
    return { response, isReplay: false }
  })
}
