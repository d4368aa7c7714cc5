import type { ServerResponse } from 'node:http'

import { storeFaultOf } from '#accounts/database.ts'
import { SnapshotDamaged } from '#snapshots/digest.ts'
import { MartsBusyError, SnapshotOutdated } from '#snapshots/queries.ts'

/** The error codes of the service and their statuses. */
export const statuses = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  limit_reached: 409,
  messaging_account_required: 409,
  messaging_unavailable: 409,
  idempotency_conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limit_exceeded: 429,
  internal_error: 500,
  not_ready: 503,
  overloaded: 503,
} as const

export type ErrorCode = keyof typeof statuses

/** An error response. The caller sees the message. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.code = code
    this.status = statuses[code]
    this.headers = headers
  }
}

/** A 400: names the parameter or field, the problem and the expected value. */
export const invalidRequest = (thing: string, problem: string, expected: string): ApiError =>
  new ApiError('invalid_request', `${thing}: ${problem}; expected ${expected}.`)

/** A 503. */
export const notReady = (why: string): ApiError =>
  new ApiError('not_ready', `service: not ready, ${why}; expected a retry in a few seconds.`, {
    'Retry-After': '5',
  })

/** A 503 of a service that is asked more than it can answer soon. */
export const overloaded = (why: string): ApiError =>
  new ApiError('overloaded', `service: overloaded, ${why}; expected a retry in a few seconds.`, { 'Retry-After': '5' })

/** The error response of an error; null for a fault of the service, which is logged. */
export const apiErrorOf = (error: unknown): ApiError | null => {
  if (error instanceof ApiError) return error
  if (error instanceof MartsBusyError) return overloaded(error.message)
  if (error instanceof SnapshotDamaged || error instanceof SnapshotOutdated) return notReady(error.message)
  const fault = storeFaultOf(error)
  if (fault === 'full') return notReady('the disk of the accounts is full')
  if (fault === 'busy') return overloaded('the store of accounts is busy')
  if (error instanceof URIError) return invalidRequest('path', 'malformed percent-encoding', 'a valid URI')
  return null
}

/**
 * A value of the caller as JSON, cut short, since an error repeats it and it may have any length. A key at the wrong
 * place is not repeated, since proxies and clients log errors.
 */
export const quoted = (value: unknown): string => {
  const text = JSON.stringify(typeof value === 'string' && value.length > 60 ? `${value.slice(0, 60)}…` : value)
  return text.replaceAll(/tl_(live|page)_[\w.-]+/g, 'tl_$1_…').slice(0, 80)
}

export const errorBody = (code: ErrorCode, message: string): Buffer =>
  Buffer.from(JSON.stringify({ error: code, message }))

/** Sends an error response. Headers that were set before are sent too. */
export const sendError = (res: ServerResponse, error: ApiError): void => {
  const body = errorBody(error.code, error.message)
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
  res.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.byteLength,
    'Cache-Control': 'no-store',
  })
  res.end(body)
}
