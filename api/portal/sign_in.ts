import { z } from 'zod'

import { password as lengths } from '#accounts/sign_in/library.ts'
import { SignInRefused } from '#accounts/sign_in/sign_in.ts'
import { ApiError, invalidRequest } from '#api/contract/errors.ts'

import { definePublicRoute, givenName, type PortalRoute } from './portal_route.ts'

const email = z.email('expected an e-mail address').max(254, 'expected an e-mail address')
const newPassword = z
  .string()
  .min(lengths.least, `expected ${lengths.least} to ${lengths.most} characters`)
  .max(lengths.most, `expected ${lengths.least} to ${lengths.most} characters`)

/** The routes that begin and end sessions, and reset a password. */
export const signInRoutes: readonly PortalRoute[] = [
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/sign-up/email',
    body: z.strictObject({ email, password: newPassword, name: givenName }),
    query: {},
    respond: async ({ body }, { signIn, network }) => ({
      status: 201,
      body: { email: body.email.toLowerCase() },
      cookies: await signIn.signUp({ ...body, network }).catch(explain),
    }),
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    body: z.strictObject({ email, password: z.string().max(lengths.most) }),
    query: {},
    respond: async ({ body }, { signIn, network }) => ({
      status: 200,
      body: { email: body.email.toLowerCase() },
      cookies: await signIn.signIn({ ...body, network }).catch(explain),
    }),
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    body: null,
    query: {},
    respond: async (_request, { signIn, cookie }) => ({
      status: 200,
      body: { signed_out: true },
      cookies: await signIn.signOut(cookie),
    }),
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/request-password-reset',
    body: z.strictObject({ email }),
    query: {},
    respond: async ({ body }, { signIn, network }) => {
      await signIn.requestReset({ ...body, network }).catch(explain)
      return { status: 200, body: { requested: true } }
    },
  }),
  definePublicRoute({
    method: 'POST',
    path: '/api/auth/reset-password',
    body: z.strictObject({ token: z.string().min(1).max(100), newPassword }),
    query: {},
    respond: async ({ body }, { signIn, network }) => {
      await signIn.reset({ token: body.token, password: body.newPassword, network }).catch(explain)
      return { status: 200, body: { reset: true } }
    },
  }),
]

/** An error response for each refusal of the library. */
const explain = (error: unknown): never => {
  if (!(error instanceof SignInRefused)) throw error
  switch (error.code) {
    case 'INVALID_EMAIL_OR_PASSWORD':
      throw new ApiError('unauthorized', 'e-mail or password: wrong; expected the e-mail and password of an account.')
    case 'DISABLED':
      throw new ApiError('forbidden', 'account: disabled by the operator; expected an enabled account.')
    case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
      throw invalidRequest('email', 'has an account already', 'a sign-in, or another e-mail')
    case 'INVALID_TOKEN':
      throw invalidRequest('token', 'unknown, used or expired', 'the token of a link that was requested within an hour')
    default:
      throw invalidRequest('body', 'not accepted', 'an e-mail address and a password')
  }
}
