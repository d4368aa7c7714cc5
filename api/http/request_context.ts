import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import type { Caller } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'
import type { RateState } from '#api/contract/endpoint.ts'

/** A request and its state: the caller, the route and the first headers of its response. */
export type RequestContext = {
  id: string
  began_ms: number
  isApi: boolean
  caller: Caller | null
  /** The path of the matched endpoint; `none` if no endpoint matches. */
  route: string
  isHit: boolean
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

/** `/v1` and all below it. */
const isOfApi = (url: string): boolean =>
  url.startsWith('/v1') && (url.length === 3 || url[3] === '/' || url[3] === '?')

/**
 * The caller's own id if it is valid and has nothing like a key in it, since the log and the response repeat it.
 */
const idOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^(?!.*tl_)[\w-]{8,64}$/.test(given) ? given : randomUUID()

/** `/v1/x` of `http://host/v1/x`, the form that a client sends to a proxy. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
