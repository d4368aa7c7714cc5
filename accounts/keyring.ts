import type { Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { findKey, hashKey, isWellFormed, type Caller } from './keys.ts'

const lifetime_us = 4_000_000
const maxKeys = 10_000

/** Finds the caller of a key. A recently verified key needs no promise; other keys need a lookup in the store. */
export type Keyring = (key: string) => Caller | null | Promise<Caller | null>

/**
 * Caches verified keys for four seconds. A revocation or a new tier therefore takes effect within five seconds on every
 * node. Unknown keys are never cached, so a key created by another process works at once.
 */
export function openKeyring(accounts: Accounts, now: () => Micros): Keyring {
  const verified = new Map<string, { caller: Caller; until: number }>()

  const verify = async (key: string, hash: string): Promise<Caller | null> => {
    const caller = await findKey(accounts, key)
    if (!caller) return null
    const oldest = verified.keys().next()
    if (verified.size >= maxKeys && !oldest.done) verified.delete(oldest.value)
    verified.set(hash, { caller, until: now() + lifetime_us })
    return caller
  }

  return (key) => {
    if (!isWellFormed(key)) return null
    const hash = hashKey(key)
    const known = verified.get(hash)
    if (known && now() < known.until) return known.caller
    verified.delete(hash)
    return verify(key, hash)
  }
}
