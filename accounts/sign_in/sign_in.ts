import { isAPIError } from 'better-auth/api'

import { secretOf, type Accounts } from '#accounts/accounts.ts'
import { recordEvent, type AuditEvent } from '#accounts/audit.ts'
import { ensureAccount } from '#accounts/people.ts'
import type { Micros } from '#time.ts'

import { openAttempts, type AttemptLimit } from './attempts.ts'
import { openLibrary } from './library.ts'

/**
 * A refused request of a person. `code` is that of better-auth, or `DISABLED` for an account that the operator
 * disabled.
 */
export class SignInRefused extends Error {
  override name = 'SignInRefused'
  readonly code: string

  constructor(code: string) {
    super(`sign-in: ${code}; expected a valid request`)
    this.code = code
  }
}

/** A signed-in browser. `cookies` are `Set-Cookie` headers that extend its session. */
export type Session = { id: string; account_id: string; email: string; cookies: string[] }

/** Signs people in. Functions that begin or end a session return `Set-Cookie` headers. */
export type SignIn = {
  signUp: (credentials: Credentials & { name: string; network: string }) => Promise<string[]>
  signIn: (credentials: Credentials & { network: string }) => Promise<string[]>
  signOut: (cookie: string) => Promise<string[]>
  /** Sends a link to the person, if the e-mail is known. The answer does not depend on it. */
  requestReset: (person: { email: string; network: string }) => Promise<void>
  /** Sets a password by the token of a link, and ends all sessions of the person. */
  reset: (request: { token: string; password: string; network: string }) => Promise<void>
  /** The session of a `Cookie` header; null if there is none, or if it has ended. */
  session: (cookie: string) => Promise<Session | null>
}

type Credentials = { email: string; password: string }

export type SignInParts = {
  accounts: Accounts
  now: () => Micros
  /** The address of the pages. With https, the cookies are secure. */
  publicUrl: string
  /** Sends the link with a token. It returns at once, and reports its own failures. */
  sendResetLink: (to: { email: string; url: string }) => void
}

export async function openSignIn({ accounts, now, publicUrl, sendResetLink }: SignInParts): Promise<SignIn> {
  const attempt = openAttempts(accounts, now)
  const record = (event: AuditEvent['event'], origin: { account_id: string | null; network?: string }) =>
    recordEvent(accounts, { at: now(), actor: 'person', event, ...origin })
  const { api } = openLibrary({
    accounts,
    publicUrl,
    secret: await secretOf(accounts, 'sessions'),
    mayEnter: (user_id) => isEnabled(accounts, user_id, now()),
    onResetToken: ({ email, token }) => sendResetLink({ email, url: resetUrl(publicUrl, token) }),
    onReset: async (account_id) => {
      // Other links to the same person end too.
      await accounts.deleteFrom('verifications').where('value', '=', account_id).execute()
      await record('password_reset', { account_id })
    },
  })

  return {
    signUp: async ({ email, password, name, network }) => {
      await attempt(network, limitsOf('sign-up', { email, network }))
      const { headers, response } = await refusing(
        api.signUpEmail({ body: { email, password, name }, returnHeaders: true }),
      )
      await record('signed_up', { account_id: response.user.id, network })
      return headers.getSetCookie()
    },
    signIn: async ({ email, password, network }) => {
      await attempt(network, limitsOf('sign-in', { email, network }))
      const call = refusing(api.signInEmail({ body: { email, password }, returnHeaders: true }))
      const { headers, response } = await call.catch(async (error: unknown) => {
        await record('sign_in_failed', { account_id: null, network })
        throw error
      })
      await record('signed_in', { account_id: response.user.id, network })
      return headers.getSetCookie()
    },
    signOut: async (cookie) => {
      const headers = new Headers({ cookie })
      const session = await api.getSession({ headers })
      const ended = await refusing(api.signOut({ headers, returnHeaders: true }))
      if (session) await record('signed_out', { account_id: session.user.id })
      return ended.headers.getSetCookie()
    },
    requestReset: async ({ email, network }) => {
      await attempt(network, limitsOf('reset-request', { email, network }))
      await refusing(api.requestPasswordReset({ body: { email } }))
      await record('reset_requested', { account_id: null, network })
    },
    reset: async ({ token, password, network }) => {
      // Guesses of a token count as sign-ins.
      await attempt(network, [networkLimit('sign-in', network)])
      await refusing(api.resetPassword({ body: { token, newPassword: password } })).catch(async (error: unknown) => {
        await record('reset_failed', { account_id: null, network })
        throw error
      })
    },
    session: async (cookie) => {
      const { headers, response } = await api.getSession({ headers: new Headers({ cookie }), returnHeaders: true })
      if (!response) return null
      const { session, user } = response
      return { id: session.id, account_id: user.id, email: user.email, cookies: headers.getSetCookie() }
    },
  }
}

/** The page reads the token from the fragment, which no server and no `Referer` header sees. */
const resetUrl = (publicUrl: string, token: string): string => `${publicUrl}/reset-password#token=${token}`

/**
 * Attempts in a window: of a network address, for an e-mail, and of a network for an e-mail. The last is the smallest, so
 * that a stranger's attempts do not use up those of the owner.
 */
const limits = {
  'sign-up': { network: 20, email: 20, pair: 20, window_s: 3_600 },
  'sign-in': { network: 100, email: 500, pair: 20, window_s: 900 },
  // A person gets so many mails.
  'reset-request': { network: 100, email: 15, pair: 5, window_s: 900 },
} as const
type Kind = keyof typeof limits

const networkLimit = (kind: Kind, subject: string): AttemptLimit => {
  const { network: most, window_s } = limits[kind]
  return { kind: `${kind} network`, subject, most, window_s }
}

/** The limit of the pair comes first: an attempt beyond it does not count for the e-mail. */
const limitsOf = (kind: Kind, { email, network }: { email: string; network: string }): AttemptLimit[] => {
  const { pair, email: most, window_s } = limits[kind]
  const subject = email.toLowerCase()
  return [
    { kind: `${kind} e-mail and network`, subject: `${subject} ${network}`, most: pair, window_s },
    networkLimit(kind, network),
    { kind: `${kind} e-mail`, subject, most, window_s },
  ]
}

/** Runs a call of better-auth. A refused call throws `SignInRefused`; other errors stay as they are. */
async function refusing<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const code = isAPIError(error) ? error.body?.code : undefined
    if (code === 'FAILED_TO_CREATE_SESSION') throw new SignInRefused('DISABLED')
    if (code === undefined || code.startsWith('FAILED_')) throw error
    throw new SignInRefused(code)
  }
}

/** Whether a person may sign in. The account of a person whose sign-up was interrupted is created here. */
async function isEnabled(accounts: Accounts, id: string, now: Micros): Promise<boolean> {
  await ensureAccount(accounts, { id, now })
  const row = await accounts.selectFrom('accounts').select('disabled_at').where('id', '=', id).executeTakeFirst()
  return row?.disabled_at === null
}
