import type { RequestListener } from 'node:http'

import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import type { Readers } from '#api/chat/answering/readers.ts'
import type { SpendChat } from '#api/chat/serving/respond_ask.ts'
import type { As, Ask, Endpoint } from '#api/contract/endpoint.ts'
import { ApiError } from '#api/contract/errors.ts'
import { createMcp } from '#api/mcp/mcp.ts'
import { publicRoutes } from '#api/pages/public_routes.ts'
import { portalRoutes, routePortal, type PortalParts } from '#api/portal/index.ts'
import type { Clock } from '#time.ts'

import type { PublicSources } from './answer_public.ts'
import { unauthorized, type Together } from './authenticate.ts'
import { askingOf, contextOf } from './request.ts'
import { sendFailure } from './respond.ts'

/** Handles requests, and knows the methods of a path; null for an unknown path. */
export type Router = { handle: RequestListener; methodsAt: (path: string) => string[] | null }

/** Routes requests of all paths but those of endpoints: of tools, of the portal, of pages and of operators. */
export function createRouter(parts: {
  endpoints: readonly Endpoint[]
  sources: PublicSources
  now: Clock
  portal: PortalParts
  asOneOf: Together
  ask: Ask
  spendChat: SpendChat
  openReaders: (as: As) => Readers
  registry: Registry
  log: Logger
  machineFault: () => Promise<string | null>
  otherMetrics: () => Promise<string>
}): Router {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  app.enable('strict routing')
  app.enable('case sensitive routing')

  routeMcp(app, parts)
  routePortal(app, portalRoutes, parts.portal, parts.now)
  const ofPublic = publicRoutes({ ...parts, clientAddress: parts.portal.clientAddress })
  for (const [path, handler] of Object.entries(ofPublic)) {
    app.all(path, async (req, res) => {
      contextOf(req).route = path
      if (req.method !== 'GET' && req.method !== 'HEAD') throw notAllowed(['GET', 'HEAD', 'OPTIONS'])
      await handler(req, res)
    })
  }
  app.use(() => {
    throw unknownPath()
  })
  app.use(errorHandler(parts.log))
  const paths = new Set([
    ...parts.endpoints.map(({ path }) => `/v1${path}`),
    ...portalRoutes.map(({ path }) => path),
    ...Object.keys(ofPublic),
    '/mcp',
  ])
  return { handle: app, methodsAt: (path) => (paths.has(path) ? methodsOf(parts.endpoints, path) : null) }
}

export const unknownPath = () => new ApiError('not_found', 'path: unknown; expected a path of /openapi.json.')

/** The methods of a known path: Every path has OPTIONS, and every path with GET has HEAD. */
export const methodsOf = (endpoints: readonly Endpoint[], path: string): string[] => {
  if (path === '/mcp') return ['POST', 'OPTIONS']
  const routes = [
    ...endpoints.filter((endpoint) => `/v1${endpoint.path}` === path),
    ...portalRoutes.filter((route) => route.path === path),
  ]
  const routeMethods = routes.map(({ method }): string => method)
  const methods = routeMethods.length > 0 ? routeMethods : ['GET']
  return [
    ...(methods.includes('GET') ? ['GET', 'HEAD'] : []),
    ...methods.filter((method) => method !== 'GET'),
    'OPTIONS',
  ]
}

const routeMcp = (app: Express, parts: Parameters<typeof createMcp>[0]): void => {
  const handle = createMcp(parts)
  app.all('/mcp', async (req, res) => {
    const context = contextOf(req)
    context.route = '/mcp'
    // Without sessions there is nothing to stream and nothing to end.
    if (req.method !== 'POST') throw notAllowed(methodsOf([], '/mcp'))
    const { caller, rate } = context
    if (!caller || !rate) throw unauthorized('key: missing')
    await handle(req, res, { caller, rate, asking: askingOf(req) })
  })
}

/** A 405. */
export const notAllowed = (methods: string[]) =>
  new ApiError('method_not_allowed', `method: not allowed; expected ${methods.join(', ')}.`, {
    Allow: methods.join(', '),
  })

const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error, req, res, _next) =>
    sendFailure(res, error, { id: contextOf(req).id, log })
