import type { IncomingMessage, RequestListener } from 'node:http'

import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import type { Accounts } from '#accounts/accounts.ts'
import type { Caller } from '#accounts/keys.ts'
import { turnOf } from '#accounts/visitors.ts'
import type { Readers } from '#api/chat/answering/readers.ts'
import { createAskResponder, type SpendChat } from '#api/chat/serving/respond_ask.ts'
import type { As, Ask, Endpoint, RateState } from '#api/contract/endpoint.ts'
import { ApiError, apiErrorOf, sendError } from '#api/contract/errors.ts'
import { assertBodyFits, parseQuery } from '#api/contract/input.ts'
import { createMcp } from '#api/mcp/mcp.ts'
import { publicRoutes } from '#api/pages/public_routes.ts'
import { portalRoutes, routePortal, type PortalParts } from '#api/portal/index.ts'
import { assertNoPages, wantsStream, type FeedStream } from '#api/stream/feed_stream.ts'
import type { Clock } from '#time.ts'

import { assertMayUse, unauthorized, type Together } from './authenticate.ts'
import type { ResponseCache } from './cache.ts'
import { askingOf, contextOf, requestKeyOf, splitUrl } from './request.ts'
import { sendPrivate, sendPublic, type PublicSources } from './respond.ts'
import { createPrivateResponder } from './respond_private.ts'

/** Handles requests, and knows the methods of a path; null for an unknown path. */
export type Router = { handle: RequestListener; methodsAt: (path: string) => string[] | null }

/** Routes requests without a cached answer: to the endpoints, the public routes and the error handler. */
export function createRouter(parts: {
  endpoints: readonly Endpoint[]
  sources: PublicSources
  cache: ResponseCache
  stream: FeedStream
  /** The caller of a request now; null if the key has ended. */
  recheck: (req: IncomingMessage) => Caller | null | Promise<Caller | null>
  accounts: Accounts
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

  routeEndpoints(app, parts)
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

type Routed = Pick<
  Parameters<typeof createRouter>[0],
  'endpoints' | 'sources' | 'cache' | 'stream' | 'recheck' | 'accounts' | 'now' | 'asOneOf' | 'ask' | 'spendChat'
>

const routeEndpoints = (app: Express, parts: Routed): void => {
  const { endpoints, sources, cache, accounts, now, asOneOf, stream, recheck } = parts
  const { answerPrivate, performWrite } = createPrivateResponder(accounts, sources.marts, now)
  const answerQuestion = createAskResponder(parts)

  const respond = async (
    endpoint: Endpoint,
    { caller, rate }: { caller: Caller; rate: RateState },
    req: Request,
    res: Response,
  ): Promise<void> => {
    const context = contextOf(req)
    const asking = askingOf(req)
    const call = { caller, rate, asking, search: splitUrl(req.url).search }
    await assertBodyFits(req, endpoint.kind === 'write' || endpoint.kind === 'ask')
    if (endpoint.kind === 'list' && endpoint.isStreamed && wantsStream(req.headers.accept)) {
      const query = parseQuery(endpoint.parameters, call.search)
      assertNoPages(query)
      return stream.open(req, res, { caller, query, recheck: () => recheck(req) })
    }
    switch (endpoint.kind) {
      case 'list':
      case 'read':
        return sendPublic(
          req,
          res,
          await asOneOf(turnOf(caller), () => cache.answer(endpoint, requestKeyOf(req, caller.tier), asking)),
          context,
        )
      case 'private':
        return sendPrivate(res, await answerPrivate(endpoint, req, call))
      case 'write':
        return sendPrivate(res, await performWrite(endpoint, req, call))
      case 'ask':
        return sendPrivate(res, await answerQuestion(endpoint, req, call))
    }
  }

  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    app.all(`/v1${path}`, async (req, res) => {
      const context = contextOf(req)
      context.route = path
      const method = req.method === 'HEAD' ? 'GET' : req.method
      const endpoint = endpoints.find((candidate) => candidate.path === path && candidate.method === method)
      if (!endpoint) throw notAllowed(methodsOf(endpoints, `/v1${path}`))
      const { caller, rate } = context
      if (!caller || !rate) throw unauthorized('key: missing')
      assertMayUse(caller, endpoint.name)
      await respond(endpoint, { caller, rate }, req, res)
    })
  }
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

const notAllowed = (methods: string[]) =>
  new ApiError('method_not_allowed', `method: not allowed; expected ${methods.join(', ')}.`, {
    Allow: methods.join(', '),
  })

const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error, req, res, _next) => {
    const { id } = contextOf(req)
    const apiError = apiErrorOf(error)
    if (!apiError) log.error(error, `request ${id}`)
    if (res.headersSent) res.destroy()
    else sendError(res, apiError ?? internalError(id))
  }

export const internalError = (request_id: string) =>
  new ApiError('internal_error', `internal error: logged as request ${request_id}; expected a later retry.`)
