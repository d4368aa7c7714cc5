import type { Accounts } from './accounts.ts'

/**
 * The messaging account of a person. `platform` is the id of its messenger. `handle` is their user name without `@`, as
 * they entered it, or once linked, as the messenger states it; or the name of an address. `linked` states that alerts
 * reach them.
 */
export type Messaging = { platform: string; handle: string; linked: boolean }

/** The messaging account of an account; null if the person has entered none. */
export async function messagingOf(accounts: Accounts, account_id: string): Promise<Messaging | null> {
  const row = await accounts
    .selectFrom('messaging')
    .select(['messenger', 'handle', 'chat_id'])
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  return row ? { platform: row.messenger, handle: row.handle, linked: row.chat_id !== null } : null
}

/** The addresses that the watchlists and alerts of an account follow: EVM in lower case, Solana as they are. */
export async function followingOf(accounts: Accounts, account_id: string): Promise<string[]> {
  const rows = await accounts
    .selectFrom('followed')
    .innerJoin('watchlists', 'watchlists.id', 'followed.watchlist_id')
    .select('followed.address')
    .where('watchlists.account_id', '=', account_id)
    .union(
      accounts
        .selectFrom('alerts')
        .select('address')
        .where('account_id', '=', account_id)
        .where('address', 'is not', null)
        .$narrowType<{ address: string }>(),
    )
    .execute()
  // Databases order text differently.
  return rows.map(({ address }) => address).toSorted()
}
