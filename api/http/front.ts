import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { Logger } from 'pino'

import type { Accounts } from '#accounts/accounts.ts'
import type { Caller } from '#accounts/keys.ts'
import { mayCall, turnOf } from '#accounts/visitors.ts'
import { createAskResponder, type SpendChat } from '#api/chat/serving/respond_ask.ts'
import type { Ask, Endpoint, RateState } from '#api/contract/endpoint.ts'
import { ApiError } from '#api/contract/errors.ts'
import { assertBodyFits, parseQuery } from '#api/contract/input.ts'
import { assertNoPages, wantsStream, type FeedStream } from '#api/stream/feed_stream.ts'
import type { Marts } from '#snapshots/marts.ts'
import type { Clock } from '#time.ts'

import { createPrivateResponder } from './answer_private.ts'
import type { PublicAnswer } from './answer_public.ts'
import { assertMayUse, unauthorized, type Authenticate, type Together } from './authenticate.ts'
import type { ResponseCache } from './cache.ts'
import type { Observe } from './metrics.ts'
import {
  askingOf,
  contextFor,
  noteContext,
  noteLeaving,
  requestKeyOf,
  spellingOf,
  splitUrl,
  type RequestContext,
} from './request.ts'
import { firstHeadersOf, preflight, sendFailure, sendPrivate, sendPublic, setHeaders } from './respond.ts'
import { methodsOf, notAllowed, unknownPath, type Router } from './router.ts'

/**
 * The front of the API: it authenticates a request, counts it against the account's limit and answers it from its
 * endpoint, or from the cache. A request of another path goes on to the router, which neither authenticates nor counts
 * again.
 *
 * The files that an uncached `GET /v1/pm-traders` enters, each once:
 *
 *   connection    api/http/listen.ts  front.ts  metrics.ts
 *   caller        api/http/authenticate.ts  accounts/keyring.ts  shared_windows.ts  usage.ts
 *   request       api/http/request.ts  api/contract/input.ts
 *   answer        api/http/cache.ts  answer_public.ts  api/endpoints/pm_traders.ts
 *     rows        snapshots/marts.ts  queries.ts
 *   response      api/http/respond.ts
 *
 * Tables, formats and primitives are left out, such as `tiers.ts`, `format.ts` and `time.ts`.
 */
export function openFront(
  parts: AnswerParts & {
    authenticate: Authenticate
    endpoints: readonly Endpoint[]
    router: Router
    observe: Observe
    log: Logger
  },
): RequestListener {
  const { authenticate, endpoints, cache, router, observe, log } = parts
  const answer = openAnswers(parts)
  const pathOf = ({ path }: Endpoint): string => `/v1${path}`
  const endpointsAt = new Map(
    endpoints.map((each) => [pathOf(each), endpoints.filter((other) => pathOf(other) === pathOf(each))]),
  )

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
      const atPath = endpointsAt.get(splitUrl(req.url).path)
      if (atPath === undefined) return router.handle(req, res)
      answer(atPath, req, res, context).catch((error: unknown) => sendFailure(res, error, { id: context.id, log }))
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
    sendFailure(res, error, { id: context.id, log })
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

type AnswerParts = {
  cache: ResponseCache
  accounts: Accounts
  marts: Marts
  stream: FeedStream
  /** The caller of a request now; null if the key has ended. */
  recheck: (req: IncomingMessage) => Caller | null | Promise<Caller | null>
  now: Clock
  asOneOf: Together
  ask: Ask
  spendChat: SpendChat
}

/** Answers a request of a path from the endpoint of its method. Throws a 403 or 405, and what the endpoint throws. */
function openAnswers(parts: AnswerParts) {
  const { cache, accounts, marts, now, asOneOf, stream, recheck } = parts
  const { answerPrivate, performWrite } = createPrivateResponder(accounts, marts, now)
  const answerQuestion = createAskResponder(parts)

  const respond = async (
    endpoint: Endpoint,
    { caller, rate }: { caller: Caller; rate: RateState },
    req: IncomingMessage,
    res: ServerResponse,
    context: RequestContext,
  ): Promise<void> => {
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

  return async (
    atPath: readonly Endpoint[],
    req: IncomingMessage,
    res: ServerResponse,
    context: RequestContext,
  ): Promise<void> => {
    context.route = atPath[0]?.path ?? 'none'
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const endpoint = atPath.find((candidate) => candidate.method === method)
    if (!endpoint) throw notAllowed(methodsOf(atPath, `/v1${context.route}`))
    const { caller, rate } = context
    if (!caller || !rate) throw unauthorized('key: missing')
    assertMayUse(caller, endpoint.name)
    await respond(endpoint, { caller, rate }, req, res, context)
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
