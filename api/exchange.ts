import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Logger } from 'pino'

import type { Caller } from '#accounts/keys.ts'

import { leadOf } from './headers.ts'
import type { Observe } from './metrics.ts'

/** One request and what is known of it so far. */
export type Exchange = {
  id: string
  /** The path as it was asked for, without the query. */
  path: string
  isApi: boolean
  caller: Caller | null
  /** The path of the endpoint that answers; a word where there is none. */
  route: string
  isHit: boolean
  /** The headers that the response begins with. */
  lead: string[]
}

const exchanges = new WeakMap<IncomingMessage, Exchange>()

/** The exchange that a request belongs to; every request has one before Express sees it. */
export const exchangeOf = (req: IncomingMessage): Exchange => {
  const exchange = exchanges.get(req)
  if (!exchange) throw new Error('this request did not come in through the front')
  return exchange
}

/** Begins an exchange; when it ends it is counted and logged. */
export function beginExchange(
  req: IncomingMessage,
  res: ServerResponse,
  { log, observe }: { log: Logger; observe: Observe },
): Exchange {
  const began = performance.now()
  const given = req.headers['x-request-id']
  const id = typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
  req.url = originForm(req.url ?? '')
  const [path = ''] = req.url.split('?', 1)
  const isApi = path === '/v1' || path.startsWith('/v1/')
  const exchange = { id, path, isApi, caller: null, route: 'none', isHit: false, lead: leadOf(id, isApi) }
  exchanges.set(req, exchange)
  res.once('close', () => finish(exchange, req, res, performance.now() - began))

  const finish = (of: Exchange, { method = '' }: IncomingMessage, { statusCode }: ServerResponse, took_ms: number) => {
    const { route } = of
    observe({ route, method: methods.has(method) ? method : 'other', status: statusCode, took_s: took_ms / 1_000 })
    if (!log.isLevelEnabled('info')) return
    const account_id = of.caller?.account_id
    log.info({ id, method, path: withoutKeys(path), route, status: statusCode, took_ms, isHit: of.isHit, account_id })
  }
  return exchange
}

/** `/v1/x` of `http://host/v1/x`, which is what a client sends that takes this service for a proxy. */
const originForm = (url: string): string => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/'))

const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Callers put keys where they do not belong. */
const withoutKeys = (path: string): string => path.slice(0, 200).replaceAll(/tl_live_\w+/g, 'tl_live_…')
