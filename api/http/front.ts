import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { Logger } from 'pino'

import type { Caller } from '#accounts/keys.ts'
import { mayUse } from '#accounts/tiers.ts'
import type { Endpoint } from '#api/contract/endpoint.ts'
import { ApiError, sendError } from '#api/contract/errors.ts'

import type { Authenticate } from './authenticate.ts'
import { firstHeadersOf, preflight, setHeaders } from './headers.ts'
import { contextFor, noteContext, requestKeyOf, spellingOf, splitUrl, type RequestContext } from './request_context.ts'
import type { Observe } from './request_metrics.ts'
import type { PublicAnswer } from './respond.ts'
import type { ResponseCache } from './response_cache.ts'
import { internalError, methodsOf } from './router.ts'
import { sendPublic } from './send.ts'

/**
 * The front of the API: it authenticates a request, counts it against the account's limit and sends a cached answer.
 * Every other request goes on to the router, which neither authenticates nor counts again.
 */
export function openFront(of: {
  authenticate: Authenticate
  cache: ResponseCache
  router: RequestListener
  endpoints: readonly Endpoint[]
  observe: Observe
  log: Logger
}): RequestListener {
  const { authenticate, cache, router, endpoints, observe, log } = of

  const find = (req: IncomingMessage, caller: Caller): PublicAnswer | null => {
    if (!isPlainRead(req)) return null
    const hit = cache.cached(spellingOf(requestKeyOf(req, caller.tier)))
    return hit && mayUse(caller.tier, hit.endpoint.name) ? hit : null
  }

  const proceed = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => {
    const hit = context.caller && find(req, context.caller)
    if (hit) {
      context.route = hit.endpoint.path
      context.isHit = true
      sendPublic(req, res, hit, context)
      observe(context, req, res)
    } else {
      endWithResponse(req, res, context)
      setHeaders(res, firstHeadersOf(context))
      noteContext(req, context)
      router(req, res)
    }
  }

  const endWithResponse = (req: IncomingMessage, res: ServerResponse, context: RequestContext) =>
    res.once('close', () => observe(context, req, res))

  const refuse = (req: IncomingMessage, res: ServerResponse, { context, error }: Refusal) => {
    endWithResponse(req, res, context)
    setHeaders(res, firstHeadersOf(context))
    if (!(error instanceof ApiError)) log.error(error, `request ${context.id}`)
    sendError(res, error instanceof ApiError ? error : internalError(context.id))
  }

  return (req, res) => {
    const context = contextFor(req)
    try {
      if (req.httpVersionMajor !== 1) throw otherVersion()
      if (req.headers.host === undefined && req.httpVersionMinor === 1) throw noHost()
      if (req.method === 'OPTIONS') {
        endWithResponse(req, res, context)
        return answerOptions(req, res, { context, endpoints })
      }
      if (!context.isApi) return proceed(req, res, context)
      const admitted = authenticate(req, context)
      if (admitted)
        admitted.then(() => proceed(req, res, context)).catch((error: unknown) => refuse(req, res, { context, error }))
      else proceed(req, res, context)
    } catch (error) {
      refuse(req, res, { context, error })
    }
  }
}

type Refusal = { context: RequestContext; error: unknown }

/** A read without a body; only such a request is answered from the cache. */
const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] === undefined || Number(headers['content-length']) === 0)

const answerOptions = (
  { url }: IncomingMessage,
  res: ServerResponse,
  { context, endpoints }: { context: RequestContext; endpoints: readonly Endpoint[] },
) => {
  setHeaders(res, firstHeadersOf(context))
  const allow = methodsOf(endpoints, splitUrl(url).path).join(', ')
  const ofApi = context.isApi ? { ...preflight, 'Access-Control-Allow-Methods': allow } : {}
  res.writeHead(204, { Allow: allow, ...ofApi }).end()
}

const otherVersion = () =>
  new ApiError('invalid_request', 'HTTP version: unsupported; expected HTTP/1.1.', { Connection: 'close' })

const noHost = () =>
  new ApiError('invalid_request', 'Host: missing; expected the header in every request.', { Connection: 'close' })
