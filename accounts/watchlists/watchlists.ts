import { randomUUID } from 'node:crypto'

import { lockAccount, type Accounts } from '#accounts/accounts.ts'
import type { Micros } from '#time.ts'

/** The kinds of items. */
export const watchlistTypes = ['wallets', 'assets', 'markets'] as const

/** A watchlist as it is served. It never changes, until it is deleted. */
export type Watchlist = {
  id: string
  name: string
  type: (typeof watchlistTypes)[number]
  items: string[]
  created_at: Micros
}

/** The watchlists of an account, the newest first; those of one millisecond by id. */
export async function listWatchlists(accounts: Accounts, account_id: string): Promise<Watchlist[]> {
  const rows = await accounts
    .selectFrom('watchlists')
    .select(['id', 'name', 'type', 'items', 'created_at'])
    .where('account_id', '=', account_id)
    .execute()
  // Databases order text differently.
  return rows
    .toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
    .map((row) => ({ ...row, items: JSON.parse(row.items) as string[] }))
}

/**
 * Creates a watchlist in a transaction; null if the account has `most` already. `addresses` are the wallets among its
 * items as the marts store them; they are followed. The instant has the precision that is served: milliseconds.
 */
export async function createWatchlist(
  transaction: Accounts,
  draft: Pick<Watchlist, 'name' | 'type' | 'items'> & {
    account_id: string
    addresses: string[]
    most: number
    now: Micros
  },
): Promise<Watchlist | null> {
  const { account_id, addresses, most, now, name, type, items } = draft
  await lockAccount(transaction, account_id)
  const { n } = await transaction
    .selectFrom('watchlists')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow()
  if (Number(n) >= most) return null
  const created: Watchlist = { id: randomUUID(), name, type, items, created_at: Math.floor(now / 1_000) * 1_000 }
  await transaction
    .insertInto('watchlists')
    .values({ ...created, account_id, items: JSON.stringify(items) })
    .execute()
  if (addresses.length > 0) {
    await transaction
      .insertInto('followed')
      .values(addresses.map((address) => ({ address, watchlist_id: created.id })))
      .execute()
  }
  return created
}

/** Deletes a watchlist in a transaction. Returns whether the account had it. */
export async function deleteWatchlist(
  transaction: Accounts,
  { account_id, id }: { account_id: string; id: string },
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('watchlists')
    .where('id', '=', id)
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
