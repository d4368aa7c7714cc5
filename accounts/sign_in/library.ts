import { randomUUID } from 'node:crypto'

import { betterAuth } from 'better-auth'

import type { Accounts } from '#accounts/accounts.ts'
import { dialectOf } from '#accounts/database.ts'

export type LibraryParts = {
  accounts: Accounts
  /** Signs the cookies. */
  secret: Buffer
  /** The address of the pages. */
  publicUrl: string
  /** Called before each session with the id of the user; `false` refuses the session. */
  mayEnter: (user_id: string) => Promise<boolean>
  /** Receives the token that resets the password of a user. It must not delay the response. */
  onResetToken: (to: { email: string; token: string }) => void
  /** Called when a password was reset, with the id of the user. */
  onReset: (user_id: string) => Promise<void>
}

export const password = { least: 10, most: 128 } as const
export const resetTerm_s = 3_600

/** better-auth over the tables of the store. It serves no routes itself: `sign_in.ts` calls its functions. */
export const openLibrary = (parts: LibraryParts) => betterAuth(libraryOptions(parts))

/** All options. Those with a default are set where another default would be read from the environment. */
export const libraryOptions = (parts: LibraryParts) => ({
  appName: 'Tapeline',
  baseURL: parts.publicUrl,
  basePath: '/api/auth',
  trustedOrigins: [],
  secrets: [{ version: 1, value: parts.secret.toString('base64url') }],
  database: { db: parts.accounts, type: dialectOf(parts.accounts) },
  logger: { disabled: true },
  telemetry: { enabled: false },
  // `attempts.ts` limits by e-mail too.
  rateLimit: { enabled: false },
  emailAndPassword: {
    enabled: true,
    minPasswordLength: password.least,
    maxPasswordLength: password.most,
    resetPasswordTokenExpiresIn: resetTerm_s,
    revokeSessionsOnPasswordReset: true,
    sendResetPassword: async ({ user, token }: { user: { email: string }; token: string }) =>
      parts.onResetToken({ email: user.email, token }),
    onPasswordReset: async ({ user }: { user: { id: string } }) => parts.onReset(user.id),
  },
  databaseHooks: {
    session: { create: { before: async ({ userId }: { userId: string }) => parts.mayEnter(userId) } },
  },
  advanced: {
    cookiePrefix: 'tapeline',
    // PostgreSQL would make an id of the form 'uuid' itself.
    database: { generateId: () => randomUUID() },
    disableCSRFCheck: false,
    disableOriginCheck: false,
    ipAddress: { disableIpTracking: true },
  },
  ...tables,
})

const stamps = { createdAt: 'created_at', updatedAt: 'updated_at' }

/** The names of our migration. */
const tables = {
  user: { modelName: 'users', fields: { ...stamps, emailVerified: 'email_verified' } },
  session: {
    modelName: 'sessions',
    fields: {
      ...stamps,
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
  },
  account: {
    modelName: 'credentials',
    fields: {
      ...stamps,
      userId: 'user_id',
      accountId: 'provider_account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshToken: 'refresh_token',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      idToken: 'id_token',
    },
  },
  verification: {
    modelName: 'verifications',
    fields: { ...stamps, expiresAt: 'expires_at' },
    // A copy of the store resets no password.
    storeIdentifier: 'hashed' as const,
  },
}
