import Negotiator from 'negotiator'

import type { Tier } from '#accounts/tiers.ts'
import type { Cursors, Place } from '#api/contract/cursor.ts'
import type { PublicEndpoint } from '#api/contract/endpoint.ts'
import { invalidRequest } from '#api/contract/errors.ts'
import { negotiate, type Format } from '#api/contract/format.ts'
import { parseQuery } from '#api/contract/parameters.ts'

import { splitUrl, type RequestKey } from './request_context.ts'

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
  { url: spelled, accept, acceptEncoding, tier: own }: RequestKey,
  cursors: Cursors,
): PublicRequest {
  const format = negotiate(endpoint, accept)
  const { cursor, ...query }: Query = parseQuery(endpoint.parameters, splitUrl(spelled).search)
  if (endpoint.kind === 'read') endpoint.assertFits(query)
  const place = typeof cursor === 'string' ? cursors.read(listOf(endpoint, query), cursor) : null
  if (cursor !== undefined && !place) throw invalidRequest('cursor', 'not issued for this query', nextCursor)
  const url = canonicalUrl(endpoint, { ...query, cursor })
  const tier = endpoint.kind === 'list' && endpoint.isByTier ? own : null
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
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const pairs = given.map(([name, value]): [string, string] => [
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
