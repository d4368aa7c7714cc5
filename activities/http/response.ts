import type { z } from 'zod'

import type { HostName } from './host.ts'
/** A final answer of an upstream, as it came. `query` is the encoded query string, with sorted names. */
export type Reply = {
  host: HostName
  path: string
  query: string
  status: number
  body: string
  /** Names in lower case. */
  headers: Record<string, string>
}

/** What is kept of a reply, and suffices to read it again. */
export type StoredReply = Omit<Reply, 'headers'>

type HttpFailure = {
  host: HostName
  path: string
  /** 0: no whole answer came. */
  status: number
  attempts: number
  body: string
  /** What happened, as the rest of a sentence that begins with the route. */
  what: string
}

/** An upstream said no, or kept failing. */
export class HttpError extends Error {
  readonly host: HostName
  readonly path: string
  readonly status: number
  readonly attempts: number
  /** The first 200 characters. */
  readonly body: string

  constructor({ host, path, status, attempts, body, what }: HttpFailure) {
    const start = body.slice(0, 200)
    const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    const shown = start === '' ? '' : `: ${start.replaceAll(/\s+/g, ' ')}`
    super(`${host} ${path} ${what} (${tries})${shown}`)
    this.name = 'HttpError'
    this.host = host
    this.path = path
    this.status = status
    this.attempts = attempts
    this.body = start
  }
}

/** An answer of another shape than the source knows: a change of the wire, which asking again does not mend. */
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

/** The first issues of a zod error in one line: where, and what was expected. */
export const zodReason = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ${issue.message}` : issue.message))
    .join('; ')

/** Parses a body that is known to be JSON; throws a {@link ShapeError}. */
export const parseShape = <T>(host: HostName, path: string, json: unknown, shape: z.ZodType<T>): T => {
  const parsed = shape.safeParse(json)
  if (!parsed.success) throw new ShapeError(host, path, parsed.error)
  return parsed.data
}
