import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'

/** Upper bound, so that random addresses cannot fill the disk. */
export const maxRequests = 100_000

/** Requests the ingestion of accounts. The instant of the first request counts. */
export async function requestIngestion(accounts: Accounts, of: { addresses: string[]; now: Micros }): Promise<void> {
  if ((await countRequested(accounts)) >= maxRequests) return
  await accounts
    .insertInto('wanted')
    .values(of.addresses.map((address) => ({ address, asked_at: of.now })))
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
}

/** The number of requested accounts that are not read yet. */
export async function countRequested(accounts: Accounts): Promise<number> {
  const { n } = await accounts
    .selectFrom('wanted')
    .select(({ fn }) => fn.countAll().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** The requested accounts that are not read yet, the oldest first; optionally those requested up to an instant. */
export async function listRequested(
  accounts: Accounts,
  { most = 100, until = Number.MAX_SAFE_INTEGER }: { most?: number; until?: Micros } = {},
): Promise<{ address: string; asked_at: Micros }[]> {
  return accounts
    .selectFrom('wanted')
    .selectAll()
    .where('asked_at', '<=', until)
    .orderBy('asked_at')
    .orderBy('address')
    .limit(most)
    .execute()
}

/** Removes accounts that were read from the list. */
export async function dropRequested(accounts: Accounts, addresses: string[]): Promise<void> {
  await accounts.deleteFrom('wanted').where('address', 'in', addresses).execute()
}
