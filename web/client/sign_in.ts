import * as z from 'zod/mini'

import { request } from './request.ts'

const answered = z.looseObject({})

export type Credentials = { email: string; password: string }

/** Creates an account, and signs in. */
export const signUp = (credentials: Credentials) =>
  request('api/auth/sign-up/email', answered, { method: 'POST', body: credentials })

export const signIn = (credentials: Credentials) =>
  request('api/auth/sign-in/email', answered, { method: 'POST', body: credentials })

export const signOut = () => request('api/auth/sign-out', answered, { method: 'POST' })

/** Asks for a link that sets a new password. The answer does not depend on the account. */
export const requestReset = (email: string) =>
  request('api/auth/request-password-reset', answered, { method: 'POST', body: { email } })

/** Sets a password by the token of a link. */
export const resetPassword = (body: { token: string; newPassword: string }) =>
  request('api/auth/reset-password', answered, { method: 'POST', body })
