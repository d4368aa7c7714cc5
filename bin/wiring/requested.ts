import type { Accounts } from '#accounts/accounts.ts'
import { dropWanted, listWanted, want } from '#accounts/requested.ts'
import type { Wanted } from '#activities/index.ts'
import { machineClock } from '#time.ts'

/** One that could not be read is tried again after five minutes. */
const again = 300_000_000

/** The accounts that somebody asked for over the API. */
export const wantedAccounts = (accounts: Accounts): Wanted => ({
  list: async () => (await listWanted(accounts, { until: machineClock() })).map(({ address }) => address),
  settle: async (keys, left) => {
    await dropWanted(accounts, keys)
    if (left.length > 0) await want(accounts, { addresses: left, now: machineClock() + again })
  },
})
