import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { findKey, isWellFormed, type Caller } from './keys.ts'

const lifetime_us = 4_000_000
const maxKeys = 10_000

/** Finds the caller of a key. A recently verified key needs no promise; other keys need a lookup in the store. */
export type Keyring = (key: string) => Caller | null | Promise<Caller | null>

/**
 * Caches verified keys for four seconds. A revocation or a new tier therefore takes effect within five seconds on every
 * node. Unknown keys are never cached, so a key created by another process works at once.
 */
export function openKeyring(accounts: Accounts, now: () => Micros): Keyring {
  // By the key itself, since a hash would be a fifth of the cost of a cached answer. The oldest entry comes first.
  const verified = new Map<string, { caller: Caller; until: Micros }>()

  const dropExpired = () => {
    for (const [key, { until }] of verified) {
      if (now() < until && verified.size < maxKeys) return
      verified.delete(key)
    }
  }

  const verify = async (key: string): Promise<Caller | null> => {
    const caller = await findKey(accounts, key)
    if (!caller) return null
    dropExpired()
    verified.delete(key)
    verified.set(key, { caller, until: now() + lifetime_us })
    return caller
  }

  return (key) => {
    const known = verified.get(key)
    if (known && now() < known.until) return known.caller
    return isWellFormed(key) ? verify(key) : null
  }
}
