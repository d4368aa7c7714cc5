import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet from 'helmet'

import type { Tier } from '#accounts/tiers.ts'

import type { Allowance } from './rate_limit.ts'

const exposed = [
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Coverage',
  'X-Data-As-Of',
  'X-Request-Id',
].join(', ')

/** Any page may read the API; browsers send it no cookies. */
const cors = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposed]

/** What a browser asks before a call that carries a key. */
export const preflight = {
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
  'Content-Length': '0',
}

/** The headers that helmet gives to every answer, names and values in turn. */
const security = (): string[] => {
  const given: string[] = []
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  res.setHeader = (name, value) => {
    given.push(name, String(value))
    return res
  }
  const protect = helmet({
    // TLS ends before this process, and only who ends it can promise that it stays.
    strictTransportSecurity: false,
    contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  protect(req, res, () => {})
  return given
}

const always = security()
const alwaysOnApi = [...always, ...cors]

/** What every response begins with, names and values in turn. */
export const leadOf = (request_id: string, isApi: boolean): string[] => [
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

export const setHeaders = (res: ServerResponse, lead: string[]): void => {
  for (let i = 0; i + 1 < lead.length; i += 2) res.setHeader(lead[i] ?? '', lead[i + 1] ?? '')
}
