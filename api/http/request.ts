import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'

import Negotiator from 'negotiator'

import type { Caller } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'
import { turnOf } from '#accounts/visitors.ts'
import type { Cursors, Place } from '#api/contract/cursors.ts'
import type { RateState, PublicEndpoint } from '#api/contract/endpoint.ts'
import { invalidRequest } from '#api/contract/errors.ts'
import { negotiate, type Format } from '#api/contract/format.ts'
import { parseQuery } from '#api/contract/input.ts'
import { ofService, type Asking } from '#snapshots/queries.ts'

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
const idOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^(?!.*tl_)[\w-]{8,64}$/.test(header) ? header : randomUUID()

/** `/v1/x` of `http://host/v1/x`, the form that a client sends to a proxy. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

/** The request of one caller, as its queries name it. The signal is aborted if the caller leaves before the answer. */
export const askingOf = (req: IncomingMessage): Asking => {
  const { caller, began_ms, gone } = contextOf(req)
  return caller && gone ? { names: new Set([turnOf(caller)]), began_ms, signal: gone } : ofService()
}

/** Aborts the signal of a request that is closed before its answer was sent. */
export const noteLeaving = (context: RequestContext): (() => void) => {
  const leaving = new AbortController()
  // A question reads many endpoints at once.
  setMaxListeners(0, leaving.signal)
  context.gone = leaving.signal
  return () => leaving.abort()
}

type Query = Record<string, unknown>

/** A valid request of a public endpoint. All spellings of a request have one `key`. */
export type PublicRequest = {
  endpoint: PublicEndpoint
  format: Format
  isCompressed: boolean
  /** The tier of the caller, for an endpoint whose rows differ between tiers; else null. */
  tier: Tier | null
  /** The parameters, without the cursor. */
  query: Query
  /** The position of the cursor; null for the first page. */
  place: Place | null
  url: string
  key: string
}

/** Reads a request. Throws a 406 or 400, checked in this order. */
export function readPublicRequest(
  endpoint: PublicEndpoint,
  { url: spelled, accept, acceptEncoding, tier: callerTier }: RequestKey,
  cursors: Cursors,
): PublicRequest {
  const format = negotiate(endpoint, accept)
  const { cursor, ...query }: Query = parseQuery(endpoint.parameters, splitUrl(spelled).search)
  if (endpoint.kind === 'read') endpoint.assertFits(query)
  const place = typeof cursor === 'string' ? cursors.read(listOf(endpoint, query), cursor) : null
  if (cursor !== undefined && !place) throw invalidRequest('cursor', 'not issued for this query', nextCursor)
  const url = canonicalUrl(endpoint, { ...query, cursor })
  const tier = endpoint.kind === 'list' && endpoint.isByTier ? callerTier : null
  const request = { endpoint, format, isCompressed: allowsGzip(acceptEncoding), tier, query, place, url }
  return { ...request, key: keyOf(request) }
}

/** The same request for a body that is not compressed. */
export const uncompressed = (request: PublicRequest): PublicRequest => {
  const plain = { ...request, isCompressed: false }
  return { ...plain, key: keyOf(plain) }
}

const keyOf = ({ format, isCompressed, tier, url }: Omit<PublicRequest, 'key'>): string =>
  `${format}${isCompressed ? ' gzip' : ''} ${tier ?? ''} ${url}`

/** The same URL for every spelling of a request. */
export const canonicalUrl = (endpoint: PublicEndpoint, query: Query): string => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  const pairs = entries.map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' && value && 'shown' in value ? String(value.shown) : String(value),
  ])
  return `/v1${endpoint.path}?${new URLSearchParams(pairs).toString()}`
}

/** The list of a cursor: the query without the page size, which may differ between pages. */
export const listOf = (endpoint: PublicEndpoint, { limit: _, ...query }: Query): string => canonicalUrl(endpoint, query)

/** Whether the client prefers gzip. Without a stated preference an answer is not compressed. */
const allowsGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encoding(['gzip', 'identity']) === 'gzip'

export const nextCursor = 'the cursor from the Link header of the previous page'
