import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import { secretOf, type Accounts } from '#accounts/accounts.ts'
import { openKeyring } from '#accounts/keyring.ts'
import { requestIngestion } from '#accounts/requested.ts'
import type { Marts } from '#marts/marts.ts'
import type { Clock } from '#time.ts'

import { openCursors } from './contract/cursor.ts'
import type { Endpoint } from './contract/endpoint.ts'
import { ApiError, sendError } from './contract/errors.ts'
import { endpoints as allEndpoints } from './endpoints/index.ts'
import { openAuthenticate } from './http/authenticate.ts'
import { preflight, setHeaders } from './http/headers.ts'
import { beginRequest, requestKeyOf, type RequestContext } from './http/request_context.ts'
import { observeRequests } from './http/request_metrics.ts'
import type { PublicSources } from './http/respond.ts'
import { openResponseCache } from './http/response_cache.ts'
import { createRouter, internalError, methodsOf } from './http/router.ts'
import { sendPublic } from './http/send.ts'

/** The service: a listener of HTTP requests. */
export type App = RequestListener

export type AppParts = {
  marts: Marts
  accounts: Accounts
  /** The machine's clock, for rate limits and keys; not the time of the observed world. */
  now: Clock
  registry: Registry
  log: Logger
  /** The address before `/v1`, for absolute links. */
  publicUrl?: string
  cache_bytes?: number
  endpoints?: readonly Endpoint[]
}

/** Builds the service from its parts. */
export async function createApp(parts: AppParts): Promise<App> {
  const { marts, accounts, now, registry, log, publicUrl = '', cache_bytes = 64 * 1024 * 1024 } = parts
  const { endpoints = allEndpoints } = parts
  assertUnique(endpoints)
  const observe = observeRequests(registry, marts, now)
  const cursors = openCursors(await secretOf(accounts, 'cursors'))
  const authenticate = openAuthenticate(openKeyring(accounts, now), now)
  const sources: PublicSources = {
    marts,
    cursors,
    publicUrl,
    // A failed ingestion request must not fail the response.
    requestIngestion: (addresses) =>
      requestIngestion(accounts, { addresses, now: now() }).catch((error: unknown) =>
        log.error(error, 'ingestion request failed'),
      ),
  }
  const cache = openResponseCache(sources, cache_bytes)
  const router = createRouter({ endpoints, sources, cache, accounts, now, registry, log })

  const proceed = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => {
    const { caller } = context
    const hit = caller && isPlainRead(req) ? cache.cached(requestKeyOf(req, context, caller)) : null
    if (hit) {
      context.route = hit.endpoint.path
      context.isHit = true
      sendPublic(req, res, hit, context.baseHeaders)
    } else {
      setHeaders(res, context.baseHeaders)
      router(req, res)
    }
  }

  return (req, res) => {
    const context = beginRequest(req, res, { log, observe })
    const refuse = (error: unknown) => {
      setHeaders(res, context.baseHeaders)
      if (!(error instanceof ApiError)) log.error(error, `request ${context.id}`)
      sendError(res, error instanceof ApiError ? error : internalError(context.id))
    }
    try {
      if (req.headers.host === undefined && req.httpVersion === '1.1') throw noHost()
      if (req.method === 'OPTIONS') return answerOptions(res, context, endpoints)
      if (!context.isApi) return proceed(req, res, context)
      const admitted = authenticate(req, context)
      if (admitted) admitted.then(() => proceed(req, res, context)).catch(refuse)
      else proceed(req, res, context)
    } catch (error) {
      refuse(error)
    }
  }
}

/** Throws if two endpoints have the same method and path, since the cache finds answers by path. */
const assertUnique = (endpoints: readonly Endpoint[]) => {
  const names = endpoints.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`${twice}: defined twice; expected one endpoint for each method and path`)
}

/** A read without a body; only such a request is answered from the cache. */
const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0

const answerOptions = (
  res: ServerResponse,
  { path, isApi, baseHeaders }: RequestContext,
  endpoints: readonly Endpoint[],
) => {
  setHeaders(res, baseHeaders)
  const allow = methodsOf(endpoints, path).join(', ')
  const ofApi = isApi ? { ...preflight, 'Access-Control-Allow-Methods': allow } : {}
  res.writeHead(204, { Allow: allow, ...ofApi }).end()
}

const noHost = () =>
  new ApiError('invalid_request', 'Host: missing; expected the header in every request.', { Connection: 'close' })
