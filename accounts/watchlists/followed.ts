import type { Accounts } from '#accounts/accounts.ts'
import { countRequested, requestIngestion } from '#accounts/requested.ts'
import type { Micros } from '#time.ts'

/** A followed address is read whole again after a week, so that a lost lake regains it. */
const again_us = 7 * 86_400_000_000
/** Followed addresses wait until the queue of requests is shorter than this, and enter it in groups. */
const maxWaiting = 30
const perGroup = 30

/**
 * Every followed address, the longest followed first, those of one instant by address: EVM in lower case, Solana as it
 * is.
 */
export async function listFollowed(accounts: Accounts): Promise<string[]> {
  const rows = await accounts
    .selectFrom(
      accounts
        .selectFrom('followed')
        .innerJoin('watchlists', 'watchlists.id', 'followed.watchlist_id')
        .select(['followed.address', 'watchlists.created_at'])
        .unionAll(ofAlerts(accounts).select('created_at'))
        .as('followed'),
    )
    .select(({ fn }) => ['followed.address', fn.min('followed.created_at').as('since')])
    .groupBy('followed.address')
    .execute()
  // Databases order text differently.
  return rows.toSorted((a, b) => a.since - b.since || (a.address < b.address ? -1 : 1)).map(({ address }) => address)
}

/**
 * Requests the ingestion of followed addresses that are due: new ones, and those of a week ago. `withRelated` gives
 * the addresses to read for one address. Requests of API callers are read first.
 */
export async function requestFollowed(
  accounts: Accounts,
  { now, withRelated }: { now: Micros; withRelated: (address: string) => string[] },
): Promise<void> {
  if ((await countRequested(accounts)) >= maxWaiting) return
  const due = await listDue(accounts, now)
  if (due.length === 0) return
  await accounts.transaction().execute(async (db) => {
    await db
      .insertInto('followed_requests')
      .values(due.map((address) => ({ address, next_at: now + again_us })))
      .onConflict((conflict) => conflict.column('address').doUpdateSet({ next_at: now + again_us }))
      .execute()
    await db.deleteFrom('followed_requests').where('address', 'not in', followedBy(db)).execute()
    await requestIngestion(db, { addresses: [...new Set(due.flatMap(withRelated))], now })
  })
}

/** The addresses of watchlists and alerts, each once. */
const followedBy = (accounts: Accounts) => accounts.selectFrom('followed').select('address').union(ofAlerts(accounts))

const ofAlerts = (accounts: Accounts) =>
  accounts.selectFrom('alerts').select('address').where('address', 'is not', null).$narrowType<{ address: string }>()

async function listDue(accounts: Accounts, now: Micros): Promise<string[]> {
  const rows = await accounts
    .selectFrom(followedBy(accounts).as('followed'))
    .leftJoin('followed_requests', 'followed_requests.address', 'followed.address')
    .select('followed.address')
    .where((eb) => eb.or([eb('followed_requests.next_at', 'is', null), eb('followed_requests.next_at', '<=', now)]))
    .orderBy('followed.address')
    .limit(perGroup)
    .execute()
  return rows.map(({ address }) => address)
}
