import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet from 'helmet'

import type { Tier } from '#accounts/tiers.ts'

import type { Allowance } from './rate_limit.ts'

const exposed = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Coverage',
  'X-Data-As-Of',
  'X-Request-Id',
].join(', ')

/** Any web page may call the API; browsers send no cookies with it. */
const cors = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposed]

/** Headers of the response to a CORS preflight request. */
export const preflight = {
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
  'Content-Length': '0',
}

/** The security headers that helmet sets on every response, as alternating names and values. */
const security = (): string[] => {
  const given: string[] = []
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  res.setHeader = (name, value) => {
    given.push(name, String(value))
    return res
  }
  const protect = helmet({
    // TLS ends at a proxy before this process; only that proxy can promise HTTPS.
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  protect(req, res, () => {})
  return given
}

const always = security()
const alwaysOnApi = [...always, ...cors]

/** The first headers of every response, as alternating names and values. */
export const baseHeadersOf = (request_id: string, isApi: boolean): string[] => [
  'X-Request-Id',
  request_id,
  ...(isApi ? alwaysOnApi : always),
]

export const rateHeaders = (tier: Tier, limit: number, { remaining, reset_s }: Allowance): string[] => [
  'RateLimit-Policy',
  `"${tier}";q=${limit};w=60`,
  'RateLimit',
  `"${tier}";r=${remaining};t=${reset_s}`,
]

export const setHeaders = (res: ServerResponse, baseHeaders: string[]): void => {
  for (let i = 0; i + 1 < baseHeaders.length; i += 2) res.setHeader(baseHeaders[i] ?? '', baseHeaders[i + 1] ?? '')
}
