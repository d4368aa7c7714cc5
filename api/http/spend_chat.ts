import type { Caller } from '#accounts/keys.ts'
import type { Spend } from '#accounts/shared_windows.ts'
import { tiers } from '#accounts/tiers.ts'

import { tooMany } from './authenticate.ts'

/** Counts a question against the limit of its account. Throws a 429. */
export type SpendChat = (caller: Caller) => Promise<void>

/** Questions have windows of their own beside those of requests. */
export const openSpendChat =
  (spend: Spend, rateFactor: number): SpendChat =>
  async ({ account_id, tier }) => {
    const limit = tiers[tier].chats * rateFactor
    const { isOver, reset_s } = await spend(`chat ${account_id}`, limit)
    if (isOver) throw tooMany(`chat limit: ${limit} questions a minute of this account used`, reset_s)
  }
