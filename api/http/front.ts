import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { Logger } from 'pino'

import type { Caller } from '#accounts/keys.ts'
import { mayCall } from '#accounts/visitors.ts'
import { ApiError, apiErrorOf, sendError } from '#api/contract/errors.ts'

import type { Authenticate } from './authenticate.ts'
import type { ResponseCache } from './cache.ts'
import { firstHeadersOf, preflight, setHeaders } from './headers.ts'
import type { Observe } from './metrics.ts'
import {
  contextFor,
  noteContext,
  noteLeaving,
  requestKeyOf,
  spellingOf,
  splitUrl,
  type RequestContext,
} from './request.ts'
import { sendPublic, type PublicAnswer } from './respond.ts'
import { internalError, unknownPath, type Router } from './router.ts'

/**
 * The front of the API: it authenticates a request, counts it against the account's limit and sends a cached answer.
 * Every other request goes on to the router, which neither authenticates nor counts again.
 */
export function openFront(parts: {
  authenticate: Authenticate
  cache: ResponseCache
  router: Router
  observe: Observe
  log: Logger
}): RequestListener {
  const { authenticate, cache, router, observe, log } = parts

  const find = (req: IncomingMessage, caller: Caller): PublicAnswer | null => {
    if (!isPlainRead(req)) return null
    const hit = cache.cached(spellingOf(requestKeyOf(req, caller.tier)))
    return hit && mayCall(caller, hit.endpoint.name) ? hit : null
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
      router.handle(req, res)
    }
  }

  const endWithResponse = (req: IncomingMessage, res: ServerResponse, context: RequestContext) => {
    const leave = noteLeaving(context)
    res.once('close', () => {
      observe(context, req, res)
      if (!res.writableFinished) leave()
    })
  }

  const refuse = (req: IncomingMessage, res: ServerResponse, { context, error }: Refusal) => {
    endWithResponse(req, res, context)
    setHeaders(res, firstHeadersOf(context))
    const apiError = apiErrorOf(error)
    if (!apiError) log.error(error, `request ${context.id}`)
    sendError(res, apiError ?? internalError(context.id))
  }

  return (req, res) => {
    const context = contextFor(req)
    try {
      if (req.httpVersionMajor !== 1) throw otherVersion()
      assertOneHost(req)
      if (req.method === 'OPTIONS') {
        const methods = router.methodsAt(splitUrl(req.url).path)
        if (!methods) throw unknownPath()
        endWithResponse(req, res, context)
        return answerOptions(res, context, methods.join(', '))
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

const answerOptions = (res: ServerResponse, context: RequestContext, allow: string) => {
  setHeaders(res, firstHeadersOf(context))
  const ofApi = context.isApi ? { ...preflight, 'Access-Control-Allow-Methods': allow } : {}
  res.writeHead(204, { Allow: allow, ...ofApi }).end()
}

const otherVersion = () =>
  new ApiError('invalid_request', 'HTTP version: unsupported; expected HTTP/1.1.', { Connection: 'close' })

/** RFC 9112 demands a 400 for them. Two keys have no such rule, and the wrong one could count. */
function assertOneHost({ headers: { host }, httpVersionMinor, rawHeaders }: IncomingMessage): void {
  if (host === undefined && httpVersionMinor === 1)
    throw badHeader('Host: missing; expected the header in every request.')
  if (host !== undefined && !/^[\w.:[\]%~!$&'()*+,;=-]*$/.test(host))
    throw badHeader('Host: invalid value; expected a host name and a port.')
  for (const name of ['host', 'authorization']) {
    const n = rawHeaders.filter(
      (header, i) => i % 2 === 0 && header.length === name.length && header.toLowerCase() === name,
    ).length
    if (n > 1) throw badHeader(`${name}: sent ${n} times; expected one header.`)
  }
}

const badHeader = (message: string) => new ApiError('invalid_request', message, { Connection: 'close' })
