import { z } from 'zod'

import type { Accounts } from '#accounts/accounts.ts'
import type { CountAttempt } from '#accounts/sign_in/attempts.ts'
import type { PageTokens } from '#accounts/sign_in/page_tokens.ts'
import type { Session, SignIn } from '#accounts/sign_in/sign_in.ts'
import type { Parameters } from '#api/contract/input.ts'
import type { ClientAddress } from '#api/http/client_address.ts'
import type { Bot } from '#api/messaging/bot.ts'
import type { Micros } from '#time.ts'

/** The dependencies of the routes of the pages. */
export type PortalParts = {
  accounts: Accounts
  signIn: SignIn
  tokens: PageTokens
  /** The bots of the installation, one a messenger. */
  bots: readonly Bot[]
  /** Counts attempts of people to link a chat. */
  attempt: CountAttempt
  /** The address of our own pages. */
  pagesUrl: string
  /** The origins of our own pages. */
  origins: readonly string[]
  clientAddress: ClientAddress
  /** Whether people without an account may read the pages. */
  publicReading: boolean
}

/** A request to a route. */
export type PortalContext = PortalParts & {
  now: Micros
  /** The network address of the caller, which limits of attempts count. */
  network: string
  /** The `Cookie` header. */
  cookie: string
}

/** An answer of a route: one JSON value, and `Set-Cookie` headers. */
export type PortalAnswer = { status: 200 | 201; body: object; cookies?: readonly string[] }

/** A route of our own pages, outside `/v1`. It answers requests of the same origin alone. */
export type PortalRoute = {
  method: 'GET' | 'POST' | 'DELETE'
  path: `/api/${string}`
  /** The body of a POST; null for other methods, and for a POST without fields. */
  body: z.ZodObject | null
  query: Parameters
  access: 'session' | 'public'
  respond: (
    request: { body: object; query: object },
    context: PortalContext & { session: Session | null },
  ) => Promise<PortalAnswer>
}

type Route<S extends z.ZodObject | null, P extends Parameters, C> = {
  method: PortalRoute['method']
  path: PortalRoute['path']
  body: S
  query: P
  respond: (
    request: { body: S extends z.ZodObject ? z.output<S> : object; query: { [K in keyof P]: z.output<P[K]> } },
    context: C,
  ) => Promise<PortalAnswer>
}

/** A route for a signed-in person. */
export const defineRoute = <S extends z.ZodObject | null, P extends Parameters>(
  route: Route<S, P, PortalContext & { session: Session }>,
): PortalRoute => ({ ...route, access: 'session', respond: route.respond as unknown as PortalRoute['respond'] })

/** A route that needs no session: sign-up, sign-in and the reset of a password. */
export const definePublicRoute = <S extends z.ZodObject | null, P extends Parameters>(
  route: Route<S, P, PortalContext>,
): PortalRoute => ({ ...route, access: 'public', respond: route.respond as unknown as PortalRoute['respond'] })

const nameForm = 'expected at most 100 characters of text, without control characters'

/** A name that a person gives, or none. PostgreSQL stores no NUL, and no database stores half characters. */
export const givenName = z
  .string(nameForm)
  .max(100, nameForm)
  .regex(/^[^\p{Cc}\p{Cs}\p{Bidi_Control}]*$/u, nameForm)
  .default('')

/** An instant as the pages read it. */
export const isoTime = (at: Micros): string => new Date(at / 1_000).toISOString()
