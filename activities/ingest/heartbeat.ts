import { z } from 'zod'

import type { Http } from '#activities/http/http.ts'
import { createRateLimiter, type Timers } from '#activities/http/rate_limiter.ts'

/**
 * What an activity knows of the workflow that it runs for. A server sees by its beats that it lives; when its worker
 * died, the next attempt is handed what the last beat said.
 */
export type ActivityContext = {
  /** Of the attempt before this one; undefined at the first. */
  heartbeatDetails: unknown
  heartbeat: (cursor: unknown) => void
  /** The workflow was cancelled, or the worker is about to end. */
  cancelled: AbortSignal | undefined
}

/** For what runs for no workflow. */
export const detachedContext: ActivityContext = {
  heartbeatDetails: undefined,
  heartbeat: () => undefined,
  cancelled: undefined,
}

const tallyShape = z.object({
  units: z.number(),
  rows: z.number(),
  quarantined: z.number(),
  bytes: z.number(),
  failed: z.number(),
  failures: z.array(z.object({ unit: z.string(), reason: z.string() })),
})

/** What a batch has come to: the paths of the units that are done, and what they came to. */
export const batchCursor = z.object({ done: z.array(z.string()), tally: tallyShape })

/**
 * The same way out, at no more than so many requests in 10 seconds, and none once it is cancelled: then it throws an
 * `AbortError`, which ends a batch, where any other error would be its unit's own and be noted as such.
 */
export function withRateLimit(
  http: Http,
  { rate, cancelled, clock }: { rate: number | null; cancelled: AbortSignal | undefined; clock: Timers },
): Http {
  const limiter =
    rate === null ? undefined : createRateLimiter({ requestsPer10s: rate, concurrency: 50 }, clock, cancelled)
  return async (request, shape, onReply) => {
    if (cancelled?.aborted === true) throw new Aborted(cancelled.reason)
    const ask = (): Promise<z.output<typeof shape>> => http(request, shape, onReply)
    return limiter === undefined ? ask() : limiter.run(ask)
  }
}

/**
 * Settles as `work` does, or rejects once it is cancelled: a source that hangs must not hold up the end of its workflow
 * or of the process. For work that stores nothing.
 */
export async function untilCancelled<T>(work: Promise<T>, cancelled: AbortSignal | undefined): Promise<T> {
  if (cancelled === undefined) return work
  let leave = (): void => undefined
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new Aborted(cancelled.reason))
  })
  cancelled.addEventListener('abort', leave, { once: true })
  if (cancelled.aborted) leave()
  try {
    return await Promise.race([work, left])
  } finally {
    cancelled.removeEventListener('abort', leave)
  }
}

/** Thrown when the workflow of an activity is cancelled, or its worker shuts down. */
export class Aborted extends Error {
  constructor(reason: unknown) {
    super(`cancelled: ${reason instanceof Error ? reason.message : String(reason)}`, { cause: reason })
    this.name = 'AbortError'
  }
}
