import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import helmet from 'helmet'
import type { Logger } from 'pino'

import type { Allowance } from '#accounts/shared_windows.ts'
import type { Tier } from '#accounts/tiers.ts'
import { apiErrorOf, ApiError, sendError } from '#api/contract/errors.ts'

import type { PrivateAnswer } from './answer_private.ts'
import type { RequestContext } from './request.ts'

/** A public answer as it is sent, with and without its body. */
export type Sendable = {
  /** A template: alternating names and values. A 304 has no headers of the content. */
  headers: string[]
  notModifiedHeaders: string[]
  etag: string
  body: Buffer
}

/**
 * Sends a public answer, or a 304 if `If-None-Match` names it. It sends cached and new answers, so both have the same
 * headers in the same order.
 */
export const sendPublic = (
  req: IncomingMessage,
  res: ServerResponse,
  answer: Sendable,
  context: RequestContext,
): void => {
  const isKnown = matches(req.headers['if-none-match'], answer.etag)
  res.writeHead(isKnown ? 304 : 200, fill(isKnown ? answer.notModifiedHeaders : answer.headers, context))
  // Node sends no body in response to HEAD.
  res.end(isKnown ? undefined : answer.body)
}

/** Sends an answer for one account. No cache may store it, not even that of the caller. */
export const sendPrivate = (res: ServerResponse, { status, headers, body }: PrivateAnswer): void => {
  for (const [name, value] of headers) res.setHeader(name, value)
  res.writeHead(status, { 'Content-Length': body.byteLength, 'Cache-Control': 'no-store' })
  res.end(body)
}

/** Whether `If-None-Match` names the tag. The comparison is weak: `W/"x"` matches `"x"`. */
const matches = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

/** Sends the response of an error. A fault of the service is logged; if its answer has begun, the connection ends. */
export const sendFailure = (res: ServerResponse, error: unknown, { id, log }: { id: string; log: Logger }): void => {
  const apiError = apiErrorOf(error)
  if (!apiError) log.error(error, `request ${id}`)
  if (res.headersSent) res.destroy()
  else sendError(res, apiError ?? internalError(id))
}

const internalError = (request_id: string) =>
  new ApiError('internal_error', `internal error: logged as request ${request_id}; expected a later retry.`)

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
