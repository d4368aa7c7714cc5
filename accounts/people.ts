import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { recordEvent } from './audit.ts'
import type { Tier } from './tiers.ts'

/** An account as the operator sees it. An account that `tapeline key create` made has no e-mail. */
export type AccountRow = {
  id: string
  email: string | null
  tier: Tier
  created_at: Micros
  disabled_at: Micros | null
  n_keys: number
}

/** Creates the account of a person who signs up, in the tier `free`. An existing account stays as it is. */
export async function ensureAccount(accounts: Accounts, { id, now }: { id: string; now: Micros }): Promise<void> {
  await accounts
    .insertInto('accounts')
    .values({ id, tier: 'free', created_at: now, disabled_at: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** All accounts, the oldest first, with the number of their valid keys. */
export const listAccounts = (accounts: Accounts): Promise<AccountRow[]> => accountRows(accounts).execute()

/** The account of an id or an e-mail; null if there is none. */
export async function findAccount(accounts: Accounts, idOrEmail: string): Promise<AccountRow | null> {
  const row = await accountRows(accounts)
    .where((eb) => eb.or([eb('accounts.id', '=', idOrEmail), eb('users.email', '=', idOrEmail.toLowerCase())]))
    .executeTakeFirst()
  return row ?? null
}

/** Sets the tier of an account. Only the operator's command calls it. */
export async function setTier(
  accounts: Accounts,
  { account_id, tier, now }: { account_id: string; tier: Tier; now: Micros },
): Promise<void> {
  await accounts.transaction().execute(async (db) => {
    await db.updateTable('accounts').set({ tier }).where('id', '=', account_id).execute()
    await recordEvent(db, { at: now, account_id, event: 'tier_set', actor: 'operator', detail: { tier } })
  })
}

/** Disables an account: its keys stop working and its sessions end, on every node within five seconds. */
export async function disableAccount(accounts: Accounts, target: { account_id: string; now: Micros }): Promise<void> {
  const { account_id, now } = target
  await accounts.transaction().execute(async (db) => {
    await db.updateTable('accounts').set({ disabled_at: now }).where('id', '=', account_id).execute()
    await db.deleteFrom('sessions').where('user_id', '=', account_id).execute()
    await recordEvent(db, { at: now, account_id, event: 'disabled', actor: 'operator' })
  })
}

/** Enables an account. Its keys work again; the person signs in anew. */
export async function enableAccount(accounts: Accounts, target: { account_id: string; now: Micros }): Promise<void> {
  const { account_id, now } = target
  await accounts.transaction().execute(async (db) => {
    await db.updateTable('accounts').set({ disabled_at: null }).where('id', '=', account_id).execute()
    await recordEvent(db, { at: now, account_id, event: 'enabled', actor: 'operator' })
  })
}

const accountRows = (accounts: Accounts) =>
  accounts
    .selectFrom('accounts')
    .leftJoin('users', 'users.id', 'accounts.id')
    .select(['accounts.id', 'users.email', 'accounts.tier', 'accounts.created_at', 'accounts.disabled_at'])
    .select((eb) =>
      eb
        .selectFrom('keys')
        .whereRef('keys.account_id', '=', 'accounts.id')
        .where('keys.revoked_at', 'is', null)
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('n_keys'),
    )
    .orderBy('accounts.created_at')
    .orderBy('accounts.id')
    .$narrowType<{ n_keys: number }>()
