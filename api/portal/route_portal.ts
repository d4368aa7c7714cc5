import type { Express, Request, Response } from 'express'

import { TooManyAttempts } from '#accounts/sign_in/attempts.ts'
import { ApiError, quoted } from '#api/contract/errors.ts'
import { assertBodyFits, assertJson, readBody, parseQuery } from '#api/contract/input.ts'
import { networkOf } from '#api/http/client_address.ts'
import { contextOf, splitUrl } from '#api/http/request.ts'
import type { Clock } from '#time.ts'

import type { PortalContext, PortalParts, PortalRoute } from './portal_route.ts'

/**
 * Routes the requests of our own pages. The checks come in this order: 405, 403 (another origin), 401 (no session),
 * 413/415, 400, and then those of the route.
 */
export function routePortal(app: Express, routes: readonly PortalRoute[], parts: PortalParts, now: Clock): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const pathRoutes = routes.filter((route) => route.path === path)
    app.all(path, async (req, res) => {
      contextOf(req).route = path
      const route = pathRoutes.find(({ method }) => method === req.method)
      if (!route) throw notAllowed(pathRoutes)
      assertSameOrigin(req, parts.origins)
      await answer(route, req, res, {
        ...parts,
        now: now(),
        network: networkOf(parts.clientAddress(req)),
        cookie: req.headers.cookie ?? '',
      })
    })
  }
}

/**
 * The origins under which the pages of a public address are reached. A browser of this machine has two names for it.
 */
export function originsOf(publicUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  const twin = { '127.0.0.1': 'localhost', localhost: '127.0.0.1' }[hostname]
  return twin === undefined ? [origin] : [origin, `${protocol}//${twin}${port && `:${port}`}`]
}

async function answer(route: PortalRoute, req: Request, res: Response, context: PortalContext): Promise<void> {
  const session = route.access === 'session' ? await context.signIn.session(context.cookie) : null
  if (route.access === 'session' && !session) throw signedOut()
  await assertBodyFits(req, route.body !== null)
  // A form of another site cannot send JSON.
  if (route.method === 'POST') assertJson(req)
  const body = route.body ? await readBody(req, route.body) : {}
  const query = parseQuery(route.query, splitUrl(req.url).search)
  const reply = await route.respond({ body, query }, { ...context, session }).catch(rethrow)
  for (const cookie of [...(session?.cookies ?? []), ...(reply.cookies ?? [])]) res.append('Set-Cookie', cookie)
  res.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin' })
  res.status(reply.status).json(reply.body)
}

/**
 * Throws a 403 for a request of another site. Browsers state the origin of each write, and the relation of the sites of
 * each request, so a write without both comes from no page of ours.
 */
function assertSameOrigin({ method, headers }: Request, origins: readonly string[]): void {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && !origins.includes(origin)) throw foreign('Origin', origin)
  if (site !== undefined && site !== 'same-origin' && !(method === 'GET' && site === 'none'))
    throw foreign('Sec-Fetch-Site', site)
  if (method !== 'GET' && origin === undefined && site === undefined)
    throw new ApiError('forbidden', `Origin: missing; expected ${origins.join(' or ')}.`)
}

const foreign = (header: string, value: string) =>
  new ApiError(
    'forbidden',
    `${header}: another site ${quoted(value)}; expected a request of the pages of this service.`,
  )

const signedOut = () => new ApiError('unauthorized', 'session: missing or ended; expected a sign-in.')

const notAllowed = (pathRoutes: readonly PortalRoute[]) => {
  const allow = pathRoutes.map(({ method }) => method).join(', ')
  return new ApiError('method_not_allowed', `method: not allowed; expected ${allow}.`, { Allow: allow })
}

const rethrow = (error: unknown): never => {
  if (!(error instanceof TooManyAttempts)) throw error
  throw new ApiError('rate_limit_exceeded', `attempts: too many; expected a retry after ${error.reset_s} s.`, {
    'Retry-After': String(error.reset_s),
  })
}
