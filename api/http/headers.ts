import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet from 'helmet'

import type { Allowance } from '#accounts/shared_windows.ts'
import type { Tier } from '#accounts/tiers.ts'

import type { RequestContext } from './request.ts'

const exposed = [
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Chat-Engine',
  'X-Chat-Plan',
  'X-Coverage',
  'X-Data-As-Of',
  'X-Request-Id',
  'X-Total-Count',
].join(', ')

/** Any web page may call the API; browsers send no cookies with it. */
const cors = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposed]

/** The headers that a request of the API, of its stream and of the Model Context Protocol may have. */
const allowed = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'X-Request-Id',
].join(', ')

/** Headers of the response to a CORS preflight request. */
export const preflight = {
  'Access-Control-Allow-Headers': allowed,
  'Access-Control-Max-Age': '86400',
}

/** The security headers that helmet sets on every response, as alternating names and values. */
const security = (): string[] => {
  const pairs: string[] = []
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  res.setHeader = (name, value) => {
    pairs.push(name, String(value))
    return res
  }
  const protect = helmet({
    // TLS ends at a proxy before this process; only that proxy can promise HTTPS.
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  protect(req, res, () => {})
  return pairs
}

const always = security()
const alwaysOnApi = [...always, ...cors]

/** The first headers of every response, as alternating names and values. */
export const firstHeadersOf = ({ id, isApi, rateHeaders }: RequestContext): string[] => [
  'X-Request-Id',
  id,
  ...(isApi ? alwaysOnApi : always),
  ...rateHeaders,
]

const limitNames = ['RateLimit-Policy', 'RateLimit'] as const

/** The headers of an answer, with empty places for those that differ between requests. */
export const templateOf = (headers: readonly string[]): string[] => [
  'X-Request-Id',
  '',
  ...alwaysOnApi,
  ...limitNames.flatMap((name) => [name, '']),
  ...headers,
]

const limitAt = 2 + alwaysOnApi.length

/** A template filled for a request: the headers of `firstHeadersOf`, and then those of the answer. */
export const fill = (
  template: readonly string[],
  { id, rateHeaders: [, policy = '', , limit = ''] }: RequestContext,
) => {
  const headers = template.slice()
  headers[1] = id
  headers[limitAt + 1] = policy
  headers[limitAt + 3] = limit
  return headers
}

/** `policy` is the tier of an account, or `visitor`. */
export const rateHeaders = (policy: Tier | 'visitor', limit: number, { remaining, reset_s }: Allowance): string[] => [
  limitNames[0],
  `"${policy}";q=${limit};w=60`,
  limitNames[1],
  `"${policy}";r=${remaining};t=${reset_s}`,
]

export const setHeaders = (res: ServerResponse, headers: string[]): void => {
  for (let i = 0; i + 1 < headers.length; i += 2) res.setHeader(headers[i] ?? '', headers[i + 1] ?? '')
}
