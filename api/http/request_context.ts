import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Logger } from 'pino'

import type { Caller } from '#accounts/keys.ts'

import { leadOf } from './headers.ts'
import type { Observe } from './request_metrics.ts'

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

type Witness = { log: Logger; observe: Observe }

/** Begins an exchange; when it ends it is counted and logged. */
export function beginExchange(req: IncomingMessage, res: ServerResponse, witness: Witness): Exchange {
  const began = performance.now()
  req.url = originForm(req.url ?? '')
  const [path = ''] = req.url.split('?', 1)
  const id = idOf(req.headers['x-request-id'])
  const isApi = path === '/v1' || path.startsWith('/v1/')
  const exchange = { id, path, isApi, caller: null, route: 'none', isHit: false, lead: leadOf(id, isApi) }
  exchanges.set(req, exchange)
  res.once('close', () => endExchange(exchange, req, res, performance.now() - began, witness))
  return exchange
}

/** Paths, queries and headers are not logged: callers put keys where they do not belong. */
const endExchange = (
  { id, route, isHit, caller }: Exchange,
  { method = '' }: IncomingMessage,
  { statusCode: status }: ServerResponse,
  took_ms: number,
  { log, observe }: Witness,
) => {
  observe({ route, method: methods.has(method) ? method : 'other', status, took_s: took_ms / 1_000 })
  if (!log.isLevelEnabled('info')) return
  log.info({ id, method, route, status, took_ms, isHit, account_id: caller?.account_id })
}

const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The caller's own id where it can be one, and is no key by mistake. */
const idOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^(?!tl_)[\w-]{8,64}$/.test(given) ? given : randomUUID()

/** `/v1/x` of `http://host/v1/x`, which is what a client sends that takes this service for a proxy. */
const originForm = (url: string): string => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/'))
