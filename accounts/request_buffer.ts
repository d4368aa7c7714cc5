import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { countRequested, maxRequests, requestIngestion } from './requested.ts'

/** Collects requested accounts in memory and writes them in batches, so that no request waits for the database. */
export type RequestBuffer = {
  /** Requests the ingestion of accounts. False: too many are requested now, and these are not. */
  add: (addresses: readonly string[]) => boolean
  /** Writes all accounts so far. After a failure they remain for the next call. */
  flush: () => Promise<void>
}

/** Accounts between two writes. */
const mostPending = 10_000

export function openRequestBuffer(accounts: Accounts, now: () => Micros): RequestBuffer {
  let pending = new Set<string>()
  let isFull = false
  let written: Promise<void> = Promise.resolve()

  const write = async () => {
    if (pending.size === 0 && !isFull) return
    const mine = pending
    pending = new Set()
    try {
      if (mine.size > 0) await requestIngestion(accounts, { addresses: [...mine], now: now() })
      isFull = (await countRequested(accounts)) >= maxRequests
    } catch (error) {
      pending = new Set([...mine, ...pending])
      throw error
    }
  }

  return {
    add: (addresses) => {
      const isKnown = addresses.every((address) => pending.has(address))
      if (isKnown) return true
      if (isFull || pending.size + addresses.length > mostPending) return false
      for (const address of addresses) pending.add(address)
      return true
    },
    flush: () => {
      const mine = written.then(write)
      written = mine.catch(() => undefined)
      return mine
    },
  }
}
