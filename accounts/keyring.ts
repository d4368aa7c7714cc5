import { isLasting, type Micros } from '#time.ts'

import type { Accounts } from './accounts.ts'
import { findKey, isWellFormed, type Caller } from './keys.ts'
import { findSession, type PageTokens } from './sign_in/page_tokens.ts'
import { visitorOf, visitorSession } from './visitors.ts'

const lifetime_us = 4_000_000
const maxKeys = 10_000

export type Keyring = {
  /**
   * Finds the caller of a key or of a page token. A recently verified one needs no promise; others need a lookup in the
   * store.
   */
  find: (key: string) => Caller | null | Promise<Caller | null>
  /**
   * Whether `find` would read the store for a key that was not valid before. A valid one is known for hours or longer.
   */
  isStranger: (key: string) => boolean
}

/**
 * Caches verified keys and page tokens for four seconds. A revocation, a sign-out or a new tier therefore takes effect
 * within five seconds on every node. Unknown keys are never cached, so a key created by another process works at once.
 */
export function openKeyring(accounts: Accounts, tokens: PageTokens, now: () => Micros): Keyring {
  // By the key itself, since a hash would be a fifth of the cost of a cached answer. The oldest entry comes first.
  const verified = new Map<string, { caller: Caller; until: Micros }>()

  const dropOldest = () => {
    for (const key of verified.keys()) {
      if (verified.size < maxKeys) return
      verified.delete(key)
    }
  }

  const verify = async (key: string, lookup: Promise<Caller | null>, expires_at: Micros): Promise<Caller | null> => {
    const caller = await lookup
    verified.delete(key)
    if (!caller) return null
    dropOldest()
    verified.set(key, { caller, until: Math.min(now() + lifetime_us, expires_at) })
    return caller
  }

  return {
    find: (key) => {
      const entry = verified.get(key)
      if (entry && isLasting(entry.until, now(), lifetime_us)) return entry.caller
      if (isWellFormed(key)) return verify(key, findKey(accounts, key), Number.POSITIVE_INFINITY)
      const page = tokens.read(key, now())
      if (page?.session_id === visitorSession) return visitorOf('')
      return page && verify(key, findSession(accounts, page.session_id, now()), page.expires_at)
    },
    isStranger: (key) => !verified.has(key) && (isWellFormed(key) || isOfSession(tokens.read(key, now()))),
  }
}

/** Whether a token needs a lookup of its session. */
const isOfSession = (page: ReturnType<PageTokens['read']>): boolean =>
  page !== null && page.session_id !== visitorSession
