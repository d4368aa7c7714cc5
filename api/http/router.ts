import type { IncomingMessage, RequestListener } from 'node:http'

import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import type { Accounts } from '#accounts/accounts.ts'
import type { Caller } from '#accounts/keys.ts'
import { mayUse } from '#accounts/tiers.ts'
import { assertBodyFits } from '#api/contract/body.ts'
import type { Endpoint, RateState } from '#api/contract/endpoint.ts'
import { ApiError, invalidRequest, notReady, sendError } from '#api/contract/errors.ts'
import { parseQuery } from '#api/contract/parameters.ts'
import { publicRoutes } from '#api/pages/public_routes.ts'
import { portalRoutes, routePortal, type PortalParts } from '#api/portal/index.ts'
import { assertNoPages, wantsStream, type FeedStream } from '#api/stream/feed_stream.ts'
import { SnapshotDamaged } from '#marts/digest.ts'
import { MartsBusyError } from '#marts/query_pool.ts'
import type { Clock } from '#time.ts'

import { unauthorized } from './authenticate.ts'
import { limitTogether } from './limits.ts'
import { contextOf, requestKeyOf, splitUrl } from './request_context.ts'
import type { PublicSources } from './respond.ts'
import { createPrivateResponder } from './respond_private.ts'
import type { ResponseCache } from './response_cache.ts'
import { sendPrivate, sendPublic } from './send.ts'

/** Routes requests without a cached answer: to the endpoints, the public routes and the error handler. */
export function createRouter(of: {
  endpoints: readonly Endpoint[]
  sources: PublicSources
  cache: ResponseCache
  stream: FeedStream
  /** The caller of a request now; null if the key has ended. */
  recheck: (req: IncomingMessage) => Caller | null | Promise<Caller | null>
  accounts: Accounts
  now: Clock
  portal: PortalParts
  registry: Registry
  log: Logger
  machineFault: () => Promise<string | null>
}): RequestListener {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  app.enable('strict routing')
  app.enable('case sensitive routing')

  routeEndpoints(app, of)
  routePortal(app, portalRoutes, of.portal, of.now)
  for (const [path, handler] of Object.entries(publicRoutes(of))) {
    app.all(path, async (req, res) => {
      contextOf(req).route = path
      if (req.method !== 'GET' && req.method !== 'HEAD') throw notAllowed(['GET', 'HEAD', 'OPTIONS'])
      await handler(req, res)
    })
  }
  app.use(() => {
    throw new ApiError('not_found', 'path: unknown; expected a path of /openapi.json.')
  })
  app.use(errorHandler(of.log))
  return app
}

/**
 * The methods of a path: Every path has OPTIONS, and every path with GET has HEAD. An unknown path has the methods of a
 * page.
 */
export const methodsOf = (endpoints: readonly Endpoint[], path: string): string[] => {
  const own = endpoints.filter((endpoint) => `/v1${endpoint.path}` === path).map(({ method }): string => method)
  const methods = own.length > 0 ? own : ['GET']
  return [...(methods.includes('GET') ? ['GET', 'HEAD'] : []), ...methods.filter((one) => one !== 'GET'), 'OPTIONS']
}

/** A third of the reads that may wait for the marts, so that one account cannot take all places. */
const uncachedAtOnce = 100

type Routed = Pick<
  Parameters<typeof createRouter>[0],
  'endpoints' | 'sources' | 'cache' | 'stream' | 'recheck' | 'accounts' | 'now'
>

const routeEndpoints = (app: Express, routed: Routed): void => {
  const { endpoints, sources, cache, stream, recheck, accounts, now } = routed
  const { answerPrivate, performWrite } = createPrivateResponder(accounts, sources.marts, now)
  const asOneOf = limitTogether(uncachedAtOnce)

  const respond = async (
    endpoint: Endpoint,
    { caller, rate }: { caller: Caller; rate: RateState },
    req: Request,
    res: Response,
  ): Promise<void> => {
    const context = contextOf(req)
    const of = { caller, rate, search: splitUrl(req.url).search }
    assertBodyFits(req)
    if (endpoint.kind === 'list' && endpoint.isStreamed && wantsStream(req.headers.accept)) {
      const query = parseQuery(endpoint.parameters, of.search)
      assertNoPages(query)
      return stream.open(req, res, { caller, query, recheck: () => recheck(req) })
    }
    switch (endpoint.kind) {
      case 'list':
      case 'read':
        return sendPublic(
          req,
          res,
          await asOneOf(caller.account_id, () => cache.answer(endpoint, requestKeyOf(req, caller.tier))),
          context,
        )
      case 'private':
        return sendPrivate(res, await answerPrivate(endpoint, req, of))
      case 'write':
        return sendPrivate(res, await performWrite(endpoint, req, of))
    }
  }

  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    app.all(`/v1${path}`, async (req, res) => {
      const context = contextOf(req)
      context.route = path
      const method = req.method === 'HEAD' ? 'GET' : req.method
      const endpoint = endpoints.find((one) => one.path === path && one.method === method)
      if (!endpoint) throw notAllowed(methodsOf(endpoints, `/v1${path}`))
      const { caller, rate } = context
      if (!caller || !rate) throw unauthorized('key: missing')
      if (!mayUse(caller.tier, endpoint.name)) {
        throw new ApiError(
          'forbidden',
          `${endpoint.name}: not in the tier "${caller.tier}"; expected a tier that includes it.`,
        )
      }
      await respond(endpoint, { caller, rate }, req, res)
    })
  }
}

const notAllowed = (methods: string[]) =>
  new ApiError('method_not_allowed', `method: not allowed; expected ${methods.join(', ')}.`, {
    Allow: methods.join(', '),
  })

const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error, req, res, _next) => {
    const { id } = contextOf(req)
    const known = knownError(error)
    if (!known) log.error(error, `request ${id}`)
    if (res.headersSent) res.destroy()
    else sendError(res, known ?? internalError(id))
  }

const knownError = (error: unknown): ApiError | null => {
  if (error instanceof ApiError) return error
  if (error instanceof MartsBusyError || error instanceof SnapshotDamaged) return notReady(error.message)
  if (error instanceof URIError) return invalidRequest('path', 'malformed percent-encoding', 'a valid URI')
  return null
}

export const internalError = (request_id: string) =>
  new ApiError('internal_error', `internal error: logged as request ${request_id}; expected a later retry.`)
