import type { Accounts } from './accounts.ts'

/** The messaging account of a person. `handle` is the name that they entered; `linked` states that alerts reach them. */
export type Messaging = {
  platform: 'telegram'
  /** The name of the bot; null if the installation has none. */
  bot: string | null
  handle: string | null
  linked: boolean
}

/** The messaging account of an account. */
export const messagingOf = async (_accounts: Accounts, _account_id: string): Promise<Messaging> => ({
  platform: 'telegram',
  bot: null,
  handle: null,
  linked: false,
})

/** The addresses that the watchlists and alerts of an account follow. */
export const followingOf = async (_accounts: Accounts, _account_id: string): Promise<string[]> => []
