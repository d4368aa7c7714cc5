import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Logger } from 'pino'

import type { Caller } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'

import { baseHeadersOf } from './headers.ts'
import type { Observe } from './request_metrics.ts'

/** A request and its state: the caller, the route and the base headers. */
export type RequestContext = {
  id: string
  /** The requested path, without the query. */
  path: string
  /** The query, without the question mark. */
  search: string
  isApi: boolean
  caller: Caller | null
  /** The path of the matched endpoint; `none` if no endpoint matches. */
  route: string
  isHit: boolean
  /** The first headers of every response, as alternating names and values. */
  baseHeaders: string[]
}

/** All inputs of a public answer besides its snapshot. It has no account, so it cannot find a private answer. */
export type RequestKey = { tier: Tier; accept: string | undefined; path: string; search: string }

export const requestKeyOf = (
  { headers: { accept } }: IncomingMessage,
  { path, search }: RequestContext,
  { tier }: Caller,
): RequestKey => ({ tier, accept, path, search })

const contexts = new WeakMap<IncomingMessage, RequestContext>()

/** The context of a request; every request has one before Express sees it. */
export const contextOf = (req: IncomingMessage): RequestContext => {
  const context = contexts.get(req)
  if (!context) throw new Error('request context: missing; expected beginRequest to run first')
  return context
}

type Observers = { log: Logger; observe: Observe }

/** Creates the context of a request. The request is counted and logged when its response closes. */
export function beginRequest(req: IncomingMessage, res: ServerResponse, observers: Observers): RequestContext {
  const began = performance.now()
  req.url = originForm(req.url ?? '')
  const [path = '', ...rest] = req.url.split('?')
  const id = idOf(req.headers['x-request-id'])
  const isApi = path === '/v1' || path.startsWith('/v1/')
  const context = {
    id,
    path,
    search: rest.join('?'),
    isApi,
    caller: null,
    route: 'none',
    isHit: false,
    baseHeaders: baseHeadersOf(id, isApi),
  }
  contexts.set(req, context)
  res.once('close', () => endRequest(context, req, res, performance.now() - began, observers))
  return context
}

/** Paths, queries and headers are not logged, since callers put keys into them by mistake. */
const endRequest = (
  { id, route, isHit, caller }: RequestContext,
  { method = '' }: IncomingMessage,
  { statusCode: status }: ServerResponse,
  took_ms: number,
  { log, observe }: Observers,
) => {
  observe({ route, method: methods.has(method) ? method : 'other', status, took_s: took_ms / 1_000 })
  if (!log.isLevelEnabled('info')) return
  log.info({ id, method, route, status, took_ms, isHit, account_id: caller?.account_id })
}

const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The caller's own id if it is valid and does not look like a key. */
const idOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^(?!tl_)[\w-]{8,64}$/.test(given) ? given : randomUUID()

/** `/v1/x` of `http://host/v1/x`, the form that a client sends to a proxy. */
const originForm = (url: string): string => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/'))
