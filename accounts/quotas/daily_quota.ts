import type { Accounts } from '#accounts/accounts.ts'
import type { Micros } from '#time.ts'

/** Counts of accounts in the days of UTC. All nodes share them, each with a delay of its last writes. */
export type DailyQuota = {
  /** Adds to the count of an account today. False, without a change: it would exceed the quota. */
  spend: (account_id: string, n: number) => Promise<boolean>
  /** Writes all counts so far. After a failure they remain for the next call. */
  flush: () => Promise<void>
}

const day_us = 86_400_000_000

export function openDailyQuota(
  accounts: Accounts,
  { name, most, now }: { name: string; most: number; now: () => Micros },
): DailyQuota {
  let begins_at = 0
  /** `used` is the stored count of all nodes; `since` is not stored yet. */
  let counts = new Map<string, { used: number; since: number }>()
  const windowOf = (account_id: string) => `${name} ${account_id}`

  const countOf = async (account_id: string) => {
    const at = now()
    const today = at - (at % day_us)
    if (today !== begins_at) [begins_at, counts] = [today, new Map()]
    // The day may end during the query.
    const ofDay = counts
    const cachedCount = ofDay.get(account_id)
    if (cachedCount) return cachedCount
    const row = await accounts
      .selectFrom('rate_windows')
      .select('used')
      .where('name', '=', windowOf(account_id))
      .where('begins_at', '=', today)
      .executeTakeFirst()
    const count = ofDay.get(account_id) ?? { used: row?.used ?? 0, since: 0 }
    ofDay.set(account_id, count)
    return count
  }

  return {
    spend: async (account_id, n) => {
      const count = await countOf(account_id)
      if (count.used + count.since + n > most) return false
      count.since += n
      return true
    },
    flush: async () => {
      const day = begins_at
      for (const [account_id, count] of counts) {
        const n = count.since
        if (n === 0) continue
        const { used } = await accounts
          .insertInto('rate_windows')
          .values({ name: windowOf(account_id), begins_at: day, used: n })
          .onConflict((conflict) =>
            conflict.columns(['name', 'begins_at']).doUpdateSet((eb) => ({ used: eb('rate_windows.used', '+', n) })),
          )
          .returning('used')
          .executeTakeFirstOrThrow()
        count.used = used
        count.since -= n
      }
    },
  }
}
