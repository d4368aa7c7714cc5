import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import type { Accounts } from '#accounts/accounts.ts'
import { openKeyring } from '#accounts/keyring.ts'
import { requestIngestion } from '#accounts/requested.ts'
import { secretOf } from '#accounts/secrets.ts'
import type { Marts } from '#marts/marts.ts'
import type { Clock } from '#time.ts'

import { openCursors } from './contract/cursor.ts'
import { ApiError, sendError } from './contract/errors.ts'
import { guard } from './http/authenticate.ts'
import { preflight, setHeaders } from './http/headers.ts'
import { beginExchange, type Exchange } from './http/request_context.ts'
import { observeRequests } from './http/request_metrics.ts'
import type { Answer } from './http/respond.ts'
import { cacheOf } from './http/response_cache.ts'
import { createRouter, internalError, methodsOf } from './http/router.ts'
import { sendAnswer } from './http/send.ts'

/** The service as a value: what answers a request. */
export type App = RequestListener

/**
 * Builds the service from its parts. `now` is the machine's clock: rate limits and keys live in it, not in the world
 * that is watched. `publicUrl` is the address before `/v1` where links must be absolute.
 */
export async function createApp(parts: {
  marts: Marts
  accounts: Accounts
  now: Clock
  registry: Registry
  log: Logger
  publicUrl?: string
  cache_bytes?: number
}): Promise<App> {
  const { marts, accounts, now, registry, log, publicUrl = '', cache_bytes = 64 * 1024 * 1024 } = parts
  const observe = observeRequests(registry, marts, now)
  const cursors = openCursors(await secretOf(accounts, 'cursors'))
  const admit = guard(openKeyring(accounts, now), now)
  const kept = cacheOf<Answer>(cache_bytes)

  const router = createRouter({
    sources: {
      marts,
      cursors,
      publicUrl,
      // A wish that cannot be noted must not cost the caller the answer.
      want: (addresses) =>
        requestIngestion(accounts, { addresses, now: now() }).catch((error: unknown) =>
          log.error(error, 'address not noted'),
        ),
    },
    now,
    registry,
    log,
    keep: (req, exchange, answer) => kept.set(keyOf(req, exchange), answer),
  })

  /** The kept answer to a request, where it is still the right one. */
  const find = (req: IncomingMessage, exchange: Exchange): Answer | null => {
    if (!isPlainRead(req)) return null
    const answer = kept.get(keyOf(req, exchange))
    if (!answer) return null
    const isRight = answer.isPinned
      ? marts.at(answer.snapshot.id) === answer.snapshot
      : marts.current(answer.snapshot.reads) === answer.snapshot
    return isRight ? answer : null
  }

  const proceed = (req: IncomingMessage, res: ServerResponse, exchange: Exchange) => {
    const hit = exchange.caller ? find(req, exchange) : null
    if (hit) {
      exchange.route = hit.endpoint.path
      exchange.isHit = true
      sendAnswer(req, res, hit, exchange.lead)
    } else {
      setHeaders(res, exchange.lead)
      router(req, res)
    }
  }

  return (req, res) => {
    const exchange = beginExchange(req, res, { log, observe })
    const refuse = (error: unknown) => {
      setHeaders(res, exchange.lead)
      if (!(error instanceof ApiError)) log.error(error, `request ${exchange.id}`)
      sendError(res, error instanceof ApiError ? error : internalError(exchange.id))
    }
    try {
      if (req.headers.host === undefined && req.httpVersion === '1.1') throw noHost()
      if (req.method === 'OPTIONS') return answerOptions(res, exchange)
      if (!exchange.isApi) return proceed(req, res, exchange)
      const admitted = admit(req, exchange)
      if (admitted) admitted.then(() => proceed(req, res, exchange)).catch(refuse)
      else proceed(req, res, exchange)
    } catch (error) {
      refuse(error)
    }
  }
}

const keyOf = ({ url, headers }: IncomingMessage, { caller }: Exchange): string =>
  `${caller?.tier} ${headers.accept} ${url}`

/** A read without a body, which is the only kind that is answered from what is kept. */
const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0

const answerOptions = (res: ServerResponse, { path, isApi, lead }: Exchange) => {
  setHeaders(res, lead)
  const allow = methodsOf(path).join(', ')
  const ofApi = isApi ? { ...preflight, 'Access-Control-Allow-Methods': allow } : {}
  res.writeHead(204, { Allow: allow, ...ofApi }).end()
}

const noHost = () => new ApiError('invalid_request', 'The header Host is missing.', { Connection: 'close' })
