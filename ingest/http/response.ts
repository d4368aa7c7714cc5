import type { z } from 'zod'

import type { HostName } from './host.ts'
import type { RequestKey } from './request.ts'

/** A final response of an upstream, unchanged except that secrets are removed. */
export type Reply = StoredReply & {
  /** The names are in lower case. */
  headers: Record<string, string>
  /** The world of the host, by its header or by the configuration. */
  world: string
  /** The hosts that were tried, up to the host of this response. */
  asked: readonly HostName[]
  /** The requests to all of them, with repetitions. */
  sent: number
}

/** The stored part of a response, from which a unit can be reparsed. */
export type StoredReply = RequestKey & { host: HostName; status: number; body: string }

/** The limits of an answer: its bytes, and the time until it is whole. */
export type HttpLimit = 'bytes' | 'time'

type HttpFailure = {
  host: HostName
  path: string
  /** 0 if no whole response arrived. */
  status: number
  attempts: number
  body: string
  /** The predicate of a sentence with the route as its subject. */
  what: string
  /** The limit that an answer exceeded. */
  limit?: HttpLimit | undefined
  /** All hosts that were tried, if there are several. */
  asked?: readonly HostName[]
  /** The requests to all of them; by default those to the last one. */
  sent?: number
  /** The pause that the host requested. */
  pause_ms?: number | undefined
}

/** An upstream refused a request, or failed repeatedly. */
export class HttpError extends Error {
  readonly host: HostName
  readonly path: string
  readonly status: number
  readonly attempts: number
  /** The first 2,000 characters. */
  readonly body: string
  /** The limit that the answer exceeded; undefined for another failure. */
  readonly limit: HttpLimit | undefined
  readonly asked: readonly HostName[]
  /** The requests to all of these hosts, with repetitions. */
  readonly sent: number
  /** The pause that the host requested. */
  readonly pause_ms: number | undefined

  constructor(failure: HttpFailure) {
    const { host, path, status, attempts, body, what, limit, asked = [host], sent = attempts, pause_ms } = failure
    const start = body.slice(0, 200)
    const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    const shown = start === '' ? '' : `: ${start.replaceAll(/\s+/g, ' ')}`
    const others = asked.filter((name) => name !== host)
    const after = others.length === 0 ? '' : `, after ${others.join(', ')} had failed`
    super(`${host} ${path} ${what} (${tries}${after})${shown}`)
    this.name = 'HttpError'
    this.host = host
    this.path = path
    this.status = status
    this.attempts = attempts
    this.body = body.slice(0, 2_000)
    this.limit = limit
    this.asked = asked
    this.sent = sent
    this.pause_ms = pause_ms
  }
}

/** The response has a shape that the source does not know. The upstream changed, so a retry fails too. */
export class ShapeError extends Error {
  readonly host: HostName
  readonly path: string

  constructor(host: HostName, path: string, error: z.ZodError) {
    super(`${host} ${path} answered in an unknown shape: ${zodReason(error)}`)
    this.name = 'ShapeError'
    this.host = host
    this.path = path
  }
}

/** The first issues of a zod error in one line: the path and the expected value. */
export const zodReason = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ${issue.message}` : issue.message))
    .join('; ')

/** Parses a body by its shape; throws a {@link ShapeError}. */
export const parseShape = <T>(host: HostName, path: string, value: unknown, shape: z.ZodType<T>): T => {
  const parsed = shape.safeParse(value)
  if (!parsed.success) throw new ShapeError(host, path, parsed.error)
  return parsed.data
}
