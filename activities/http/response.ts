import type { z } from 'zod'

import type { HostName } from './host.ts'
import type { RequestKey } from './request.ts'

/** A final answer of an upstream, as it came but for secrets, which are removed. */
export type Reply = StoredReply & {
  /** Names in lower case. */
  headers: Record<string, string>
  /** The world that the host answers for: as its header says, or as it is configured. */
  world: string
  /** The hosts that were asked until this one answered. */
  asked: readonly HostName[]
}

/** What is kept of a reply, and suffices to read it again. */
export type StoredReply = RequestKey & { host: HostName; status: number; body: string }

type HttpFailure = {
  host: HostName
  path: string
  /** 0: no whole answer came. */
  status: number
  attempts: number
  body: string
  /** What happened, as the rest of a sentence that begins with the route. */
  what: string
  /** All hosts that were asked, where they are more than this one. */
  asked?: readonly HostName[]
}

/** An upstream refused a request, or kept failing. */
export class HttpError extends Error {
  readonly host: HostName
  readonly path: string
  readonly status: number
  readonly attempts: number
  /** The first 200 characters. */
  readonly body: string
  readonly asked: readonly HostName[]

  constructor({ host, path, status, attempts, body, what, asked = [host] }: HttpFailure) {
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
    this.body = start
    this.asked = asked
  }
}

/** An answer of another shape than the source knows: the upstream has changed, and another attempt does not help. */
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

/** Parses a body by its shape; throws a {@link ShapeError}. */
export const parseShape = <T>(host: HostName, path: string, value: unknown, shape: z.ZodType<T>): T => {
  const parsed = shape.safeParse(value)
  if (!parsed.success) throw new ShapeError(host, path, parsed.error)
  return parsed.data
}
