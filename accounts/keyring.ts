import type { Accounts, Micros } from './accounts.ts'
import { findKey, hashKey, isWellFormed, type Caller } from './keys.ts'

const kept_us = 4_000_000
const most = 10_000

/** Finds the caller of a key: at once where it was verified a moment ago, else by asking the store. */
export type Keyring = (key: string) => Caller | null | Promise<Caller | null>

/**
 * Keeps verified keys for four seconds, so that a revocation or another tier counts within five everywhere. Keys that
 * are unknown are never kept: one that was made elsewhere a moment ago is honoured at once.
 */
export function openKeyring(accounts: Accounts, now: () => Micros): Keyring {
  const verified = new Map<string, { caller: Caller; until: number }>()

  const verify = async (key: string, hash: string): Promise<Caller | null> => {
    const caller = await findKey(accounts, key)
    if (!caller) return null
    const oldest = verified.keys().next()
    if (verified.size >= most && !oldest.done) verified.delete(oldest.value)
    verified.set(hash, { caller, until: now() + kept_us })
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
