import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Accounts } from '#accounts/accounts.ts'
import type { Caller } from '#accounts/keys.ts'
import type { Micros } from '#time.ts'

/** The token of a signed-in page: it stands for a session, as a key does for an account. */
export type PageTokens = {
  /** A new token for a session. */
  mint: (session_id: string, now: Micros) => { token: string; expires_at: Micros }
  /** The session of a token and its expiry; null if the token is forged or has expired. It needs no lookup. */
  read: (token: string, now: Micros) => { session_id: string; expires_at: Micros } | null
}

const prefix = 'tl_page_'
const term_us = 15 * 60 * 1_000_000

/** Signs tokens with a secret of the installation. Nothing is stored, so a token ends only with its session. */
export function openPageTokens(secret: Buffer): PageTokens {
  const sign = (payload: string): string => createHmac('sha256', secret).update(payload).digest('base64url')

  return {
    mint: (session_id, now) => {
      const expires_at = now + term_us
      const payload = `${session_id}.${expires_at}`
      return { token: `${prefix}${payload}.${sign(payload)}`, expires_at }
    },
    read: (token, now) => {
      const [, payload = '', session_id = '', expires = '', signature = ''] = form.exec(token) ?? []
      if (!isEqual(signature, sign(payload))) return null
      const expires_at = Number(expires)
      return now < expires_at ? { session_id, expires_at } : null
    },
  }
}

/** The caller of a session; null if the session has ended, or its account is disabled. */
export async function findSession(accounts: Accounts, session_id: string, now: Micros): Promise<Caller | null> {
  const row = await accounts
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.user_id')
    .select(['accounts.id as account_id', 'accounts.tier', 'sessions.expires_at'])
    .where('sessions.id', '=', session_id)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row || new Date(row.expires_at).getTime() * 1_000 <= now) return null
  return { account_id: row.account_id, tier: row.tier, key_id: null }
}

const form = /^tl_page_(([\w-]{1,64})\.(\d{1,16}))\.([\w-]{43})$/

const isEqual = (actual: string, expected: string): boolean =>
  actual.length === expected.length && timingSafeEqual(Buffer.from(actual), Buffer.from(expected))
