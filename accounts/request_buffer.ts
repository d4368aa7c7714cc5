import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { openDailyQuota } from './quotas/daily_quota.ts'
import { countRequested, maxRequests, requestIngestion, statesAmong } from './requested.ts'

/**
 * The result of a request: the accounts will be read (`requested`), no venue knew any of them in the last day
 * (`empty`), too many accounts are requested now (`full`), or the caller has used up the requests of the day (`spent`).
 * The last two request nothing.
 */
export type Requested = 'requested' | 'empty' | 'full' | 'spent'

/** The account that requests, and whether the requested accounts have stored trades. Those are read in any case. */
export type Requester = { account_id: string; areTraders: boolean }

/** Collects requested accounts in memory and writes them in batches, so that no request waits for a write. */
export type RequestBuffer = {
  request: (addresses: readonly string[], by: Requester) => Promise<Requested>
  /** Writes all accounts so far. After a failure they remain for the next call. */
  flush: () => Promise<void>
}

/** Accounts between two writes. */
const mostPending = 10_000
/** The accounts that one account may request in a day: a thousand owners, each with a proxy and a Safe. */
export const mostPerDay = 3_000

export function openRequestBuffer(accounts: Accounts, now: () => Micros): RequestBuffer {
  let pending = new Map<string, boolean>()
  let isFull = false
  let written: Promise<void> = Promise.resolve()
  const quota = openDailyQuota(accounts, { name: 'requested accounts', most: mostPerDay, now })

  const write = async () => {
    const mine = pending
    pending = new Map()
    try {
      for (const areTraders of [true, false]) {
        const addresses = [...mine].flatMap(([address, isTrader]) => (isTrader === areTraders ? [address] : []))
        if (addresses.length > 0) await requestIngestion(accounts, { addresses, now: now(), areTraders })
      }
      if (mine.size > 0 || isFull) isFull = (await countRequested(accounts)) >= maxRequests
      await quota.flush()
    } catch (error) {
      pending = new Map([...mine, ...pending])
      throw error
    }
  }

  return {
    request: async (addresses, { account_id, areTraders }) => {
      // The next write reports a broken store.
      const states = await statesAmong(accounts, { addresses, now: now() }).catch(() => new Map<string, string>())
      const isNew = (address: string) =>
        states.get(address) !== 'requested' && !pending.has(address) && (areTraders || states.get(address) !== 'empty')
      const news = addresses.filter(isNew)
      if (news.length === 0) {
        const areEmpty = !areTraders && addresses.every((address) => states.get(address) === 'empty')
        return areEmpty ? 'empty' : 'requested'
      }
      if (isFull || pending.size + news.length > mostPending) return 'full'
      if (!(await quota.spend(account_id, news.length).catch(() => true))) return 'spent'
      for (const address of news) pending.set(address, areTraders)
      return 'requested'
    },
    flush: () => {
      const mine = written.then(write)
      written = mine.catch(() => undefined)
      return mine
    },
  }
}
