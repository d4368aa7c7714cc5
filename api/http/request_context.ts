import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'

import type { Caller } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'
import type { RateState } from '#api/contract/endpoint.ts'
import { ofService, type Asking } from '#snapshots/asking.ts'

/** A request and its state: the caller, the route and the first headers of its response. */
export type RequestContext = {
  id: string
  began_ms: number
  isApi: boolean
  caller: Caller | null
  /** The path of the matched endpoint; `none` if no endpoint matches. */
  route: string
  isHit: boolean
  /** Aborted if the caller leaves before the answer; null for an answer from the cache. */
  gone: AbortSignal | null
  /** The state of the caller's limit after this request; null before authentication. */
  rate: RateState | null
  /** The headers of the caller's limit, as alternating names and values; empty before authentication. */
  rateHeaders: string[]
}

/** All inputs of a public answer besides its snapshot. It has no account, so it cannot find a private answer. */
export type RequestKey = { url: string; accept: string | undefined; acceptEncoding: string | undefined; tier: Tier }

export const requestKeyOf = ({ url = '', headers }: IncomingMessage, tier: Tier): RequestKey => ({
  url,
  accept: headers.accept,
  acceptEncoding: headers['accept-encoding'],
  tier,
})

/** The key as one text. A missing `Accept` means any type. */
export const spellingOf = ({ url, accept = '*/*', acceptEncoding = '', tier }: RequestKey): string =>
  `${url}\n${accept}\n${acceptEncoding}\n${tier}`

/** The path of a URL in origin form, and its query without the question mark. */
export const splitUrl = (url = ''): { path: string; search: string } => {
  const end = url.indexOf('?')
  return end === -1 ? { path: url, search: '' } : { path: url.slice(0, end), search: url.slice(end + 1) }
}

/** The context of a new request. It also brings the request's URL into origin form. */
export function contextFor(req: IncomingMessage): RequestContext {
  const { url = '' } = req
  if (!url.startsWith('/')) req.url = originForm(url)
  return {
    id: idOf(req.headers['x-request-id']),
    began_ms: performance.now(),
    isApi: isOfApi(req.url ?? ''),
    caller: null,
    route: 'none',
    isHit: false,
    gone: null,
    rate: null,
    rateHeaders: [],
  }
}

const contexts = new WeakMap<IncomingMessage, RequestContext>()

/** Notes the context of a request for Express and its handlers. */
export const noteContext = (req: IncomingMessage, context: RequestContext): void => {
  contexts.set(req, context)
}

/** The context of a request that reached Express. */
export const contextOf = (req: IncomingMessage): RequestContext => {
  const context = contexts.get(req)
  if (!context) throw new Error('request context: missing; expected noteContext to run first')
  return context
}

/** `/v1` and all below it, and `/mcp`: their requests carry a key. */
const isOfApi = (url: string): boolean => isAt('/v1', url) || isAt('/mcp', url)

const isAt = (path: string, url: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === '/' || url[path.length] === '?')

/**
 * The caller's own id if it is valid and has nothing like a key in it, since the log and the response repeat it.
 */
const idOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^(?!.*tl_)[\w-]{8,64}$/.test(given) ? given : randomUUID()

/** `/v1/x` of `http://host/v1/x`, the form that a client sends to a proxy. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

/** The request of one caller, as its queries name it. The signal is aborted if the caller leaves before the answer. */
export const askingOf = (req: IncomingMessage): Asking => {
  const { caller, began_ms, gone } = contextOf(req)
  return caller && gone ? { names: new Set([caller.account_id]), began_ms, signal: gone } : ofService()
}

/** Aborts the signal of a request that is closed before its answer was sent. */
export const noteLeaving = (context: RequestContext): (() => void) => {
  const leaving = new AbortController()
  // A question reads many endpoints at once.
  setMaxListeners(0, leaving.signal)
  context.gone = leaving.signal
  return () => leaving.abort()
}
