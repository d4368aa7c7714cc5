import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'

/** Upper bound, so that random addresses cannot fill the disk. */
export const maxRequests = 100_000

/** An account that no venue knew is not read again on request for a day. */
export const emptyLife = 86_400_000_000

/** Requests the ingestion of accounts, by default of accounts without stored trades. The first request counts. */
export async function requestIngestion(
  accounts: Accounts,
  { addresses, now, areTraders = false }: { addresses: readonly string[]; now: Micros; areTraders?: boolean },
): Promise<void> {
  if ((await countRequested(accounts)) >= maxRequests) return
  const is_trader = areTraders ? 1 : 0
  await accounts
    .insertInto('wanted')
    .values(addresses.map((address) => ({ address, asked_at: now, is_trader })))
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
}

type Listing = { most?: number; until?: Micros; without?: readonly string[] }

/** The number of requested accounts that are not read yet. */
export async function countRequested(accounts: Accounts): Promise<number> {
  const { n } = await accounts
    .selectFrom('wanted')
    .select(({ fn }) => fn.countAll().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/**
 * The requested accounts that are not read yet, the oldest first; optionally those requested up to an instant, and without
 * some.
 */
export async function listRequested(
  accounts: Accounts,
  { most = 100, until = Number.MAX_SAFE_INTEGER, without = [] }: Listing = {},
): Promise<{ address: string; asked_at: Micros }[]> {
  return accounts
    .selectFrom('wanted')
    .select(['address', 'asked_at'])
    .where('asked_at', '<=', until)
    .$if(without.length > 0, (query) => query.where('address', 'not in', without))
    .orderBy('asked_at')
    .orderBy('address')
    .limit(most)
    .execute()
}

/** The requested accounts among some, without those that have stored trades. */
export async function strangersAmong(accounts: Accounts, addresses: readonly string[]): Promise<string[]> {
  // PostgreSQL rejects an empty list in a condition.
  if (addresses.length === 0) return []
  const rows = await accounts
    .selectFrom('wanted')
    .select('address')
    .where('is_trader', '=', 0)
    .where('address', 'in', addresses)
    .execute()
  return rows.map(({ address }) => address)
}

/** The accounts among some that are requested now, and those that no venue knew in the last day. */
export async function statesAmong(
  accounts: Accounts,
  { addresses, now }: { addresses: readonly string[]; now: Micros },
): Promise<Map<string, 'requested' | 'empty'>> {
  const requested = await accounts.selectFrom('wanted').select('address').where('address', 'in', addresses).execute()
  const empty = await accounts
    .selectFrom('empty_accounts')
    .select('address')
    .where('address', 'in', addresses)
    .where('read_at', '>', now - emptyLife)
    .execute()
  return new Map([
    ...empty.map(({ address }) => [address, 'empty'] as const),
    ...requested.map(({ address }) => [address, 'requested'] as const),
  ])
}

/** Removes accounts that were read from the list. */
export async function dropRequested(accounts: Accounts, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  await accounts.deleteFrom('wanted').where('address', 'in', addresses).execute()
}

/** Moves accounts that could not be read to a later place of the list. */
export async function deferRequested(accounts: Accounts, addresses: readonly string[], until: Micros): Promise<void> {
  if (addresses.length === 0) return
  await accounts.updateTable('wanted').set({ asked_at: until }).where('address', 'in', addresses).execute()
}

/** Notes accounts that no venue knows, and forgets those of the day before. */
export async function noteEmpty(accounts: Accounts, addresses: readonly string[], now: Micros): Promise<void> {
  await accounts
    .deleteFrom('empty_accounts')
    .where('read_at', '<=', now - emptyLife)
    .execute()
  if (addresses.length === 0) return
  await accounts
    .insertInto('empty_accounts')
    .values(addresses.map((address) => ({ address, read_at: now })))
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ read_at: now }))
    .execute()
}
