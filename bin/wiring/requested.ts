import type { Accounts } from '#accounts/accounts.ts'
import { dropRequested, listRequested, requestIngestion } from '#accounts/requested.ts'
import type { IngestionQueue } from '#activities/index.ts'
import { machineClock } from '#time.ts'

/** One that could not be read is tried again after five minutes. */
const again = 300_000_000

/** The accounts that somebody asked for over the API. */
export const requestedAccounts = (accounts: Accounts): IngestionQueue => ({
  list: async () => (await listRequested(accounts, { until: machineClock() })).map(({ address }) => address),
  complete: async (keys, left) => {
    await dropRequested(accounts, keys)
    if (left.length > 0) await requestIngestion(accounts, { addresses: left, now: machineClock() + again })
  },
})
