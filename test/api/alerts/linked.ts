import type { Accounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'

/** Links a chat to the account of a key, and returns the account. */
export async function linkChat(accounts: Accounts, key: string, chat_id: number): Promise<string> {
  const caller = await findKey(accounts, key)
  if (caller === null) throw new Error('the key is expected to be found')
  const { account_id } = caller
  await accounts
    .insertInto('messaging')
    .values({ account_id, messenger: 'telegram', handle: `person_${chat_id}`, chat_id: String(chat_id), linked_at: 1 })
    .execute()
  return account_id
}

/** The messages in the outbox, in the order of each account. */
export const outboxOf = async (accounts: Accounts): Promise<string[]> =>
  (await accounts.selectFrom('outbox').select('text').orderBy('account_id').orderBy('position').execute()).map(
    ({ text }) => text,
  )
