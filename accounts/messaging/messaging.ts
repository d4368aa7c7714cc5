import { createHash, randomBytes } from 'node:crypto'

import { lockAccount, type Accounts } from '#accounts/accounts.ts'
import { recordEvent } from '#accounts/audit.ts'
import type { Micros } from '#time.ts'

/** A chat, by the id of its messenger and the id there. */
export type ChatId = { messenger: string; chat_id: string }

/** A chat, and the user name of the person in it; null if the person has none. */
export type Chat = ChatId & { username: string | null }

/**
 * The result of a link: `invalid` if no open link of the messenger has the token, `other_user` if it is for another user
 * name, `taken` if the chat is linked to another account. Only `linked` changes anything.
 */
export type Redemption = 'linked' | 'invalid' | 'other_user' | 'taken'

/** A link can be opened for ten minutes. */
const lifetime_us = 600_000_000

/**
 * Opens a link for the owner of a user name, and returns its token, of which only a hash is stored. Older links of the
 * account become invalid. A chat that is linked stays linked until the new link is opened.
 */
export async function openLink(
  accounts: Accounts,
  request: { account_id: string; messenger: string; handle: string; network?: string; now: Micros },
): Promise<{ token: string; expires_at: Micros }> {
  const { account_id, messenger, handle, network = null, now } = request
  const token = randomBytes(32).toString('base64url')
  const link = { messenger, token_hash: hashOf(token), handle, expires_at: now + lifetime_us }
  await accounts.transaction().execute(async (db) => {
    await lockAccount(db, account_id)
    await db
      .insertInto('messaging_links')
      .values({ account_id, ...link })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(link))
      .execute()
    await db
      .insertInto('messaging')
      .values({ account_id, messenger, handle, chat_id: null, linked_at: null })
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet({ messenger, handle }).where('messaging.chat_id', 'is', null),
      )
      .execute()
    await recordEvent(db, { at: now, account_id, event: 'link_opened', actor: 'person', network })
  })
  return { token, expires_at: link.expires_at }
}

/** Links a chat to the account of a token. The token is used up only if the result is `linked`. */
export async function redeemLink(
  accounts: Accounts,
  { token, chat, now }: { token: string; chat: Chat; now: Micros },
): Promise<Redemption> {
  const token_hash = hashOf(token)
  const { messenger, chat_id, username } = chat
  return accounts.transaction().execute(async (db): Promise<Redemption> => {
    // The first statement takes the write lock of SQLite.
    await db.deleteFrom('messaging_links').where('expires_at', '<=', now).execute()
    const link = await db
      .selectFrom('messaging_links')
      .select(['account_id', 'handle'])
      .where('token_hash', '=', token_hash)
      .where('messenger', '=', messenger)
      .executeTakeFirst()
    if (!link) return 'invalid'
    if (username?.toLowerCase() !== link.handle.toLowerCase()) return 'other_user'
    if (await isTaken(db, { messenger, chat_id }, link.account_id)) return 'taken'
    const { numDeletedRows } = await db
      .deleteFrom('messaging_links')
      .where('token_hash', '=', token_hash)
      .executeTakeFirstOrThrow()
    // Another transaction used it up.
    if (numDeletedRows === 0n) return 'invalid'
    const { account_id } = link
    await storeChat(db, { account_id, messenger, handle: username ?? link.handle, chat_id, linked_at: now })
    await recordEvent(db, { at: now, account_id, event: 'chat_linked', actor: 'person' })
    return 'linked'
  })
}

/** Confirms the address of a link of this account, which is its handle and the id of its chat. */
export async function confirmAddress(
  accounts: Accounts,
  { token, account_id, now }: { token: string; account_id: string; now: Micros },
): Promise<Redemption> {
  const link = await accounts
    .selectFrom('messaging_links')
    .select(['messenger', 'handle'])
    .where('token_hash', '=', hashOf(token))
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  if (!link) return 'invalid'
  const { messenger, handle } = link
  return redeemLink(accounts, { token, chat: { messenger, chat_id: handle, username: handle }, now })
}

/** Links an address to an account, in place of its former chat. Returns false if another account has it. */
export async function linkAddress(
  accounts: Accounts,
  link: ChatId & { account_id: string; handle: string; network: string; now: Micros },
): Promise<boolean> {
  const { account_id, messenger, chat_id, handle, network, now } = link
  return accounts.transaction().execute(async (db) => {
    await lockAccount(db, account_id)
    if (await isTaken(db, { messenger, chat_id }, account_id)) return false
    await db.deleteFrom('messaging_links').where('account_id', '=', account_id).execute()
    await storeChat(db, { account_id, messenger, handle, chat_id, linked_at: now })
    await recordEvent(db, { at: now, account_id, event: 'chat_linked', actor: 'person', network })
    return true
  })
}

/** Whether a chat is linked to another account. */
async function isTaken(db: Accounts, { messenger, chat_id }: ChatId, account_id: string): Promise<boolean> {
  const owner = await db
    .selectFrom('messaging')
    .select('account_id')
    .where('messenger', '=', messenger)
    .where('chat_id', '=', chat_id)
    .executeTakeFirst()
  return owner !== undefined && owner.account_id !== account_id
}

/** Stores the chat of an account, in place of a former one. */
async function storeChat(
  db: Accounts,
  { account_id, ...chat }: ChatId & { account_id: string; handle: string; linked_at: Micros },
): Promise<void> {
  await db
    .insertInto('messaging')
    .values({ account_id, ...chat })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(chat))
    .execute()
}

/** Removes the messaging account of an account, and its open link. */
export async function removeMessaging(
  accounts: Accounts,
  { account_id, network, now }: { account_id: string; network: string; now: Micros },
): Promise<void> {
  await accounts.transaction().execute(async (db) => {
    await lockAccount(db, account_id)
    await db.deleteFrom('messaging_links').where('account_id', '=', account_id).execute()
    const gone = await db.deleteFrom('messaging').where('account_id', '=', account_id).returning('chat_id').execute()
    if (gone.some(({ chat_id }) => chat_id !== null))
      await recordEvent(db, { at: now, account_id, event: 'chat_unlinked', actor: 'person', network })
  })
}

/** Unlinks a chat. The account keeps its handle. Returns whether the chat was linked. */
export async function unlinkChat(
  accounts: Accounts,
  { messenger, chat_id, now }: ChatId & { now: Micros },
): Promise<boolean> {
  return accounts.transaction().execute(async (db) => {
    const [owner] = await db
      .updateTable('messaging')
      .set({ chat_id: null, linked_at: null })
      .where('messenger', '=', messenger)
      .where('chat_id', '=', chat_id)
      .returning('account_id')
      .execute()
    if (owner) await recordEvent(db, { at: now, ...owner, event: 'chat_unlinked', actor: 'person' })
    return owner !== undefined
  })
}

/** Whether a chat is linked. A changed user name of its person is stored: the chat decides, the name is a label. */
export async function greetChat(accounts: Accounts, { messenger, chat_id, username }: Chat): Promise<boolean> {
  const row = await accounts
    .selectFrom('messaging')
    .select(['account_id', 'handle'])
    .where('messenger', '=', messenger)
    .where('chat_id', '=', chat_id)
    .executeTakeFirst()
  if (row && username !== null && username !== row.handle)
    await accounts
      .updateTable('messaging')
      .set({ handle: username })
      .where('account_id', '=', row.account_id)
      .where('chat_id', '=', chat_id)
      .execute()
  return row !== undefined
}

/** A token has 256 random bits, so a fast hash is enough. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
