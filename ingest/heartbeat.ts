import { z } from 'zod'

import type { Http } from './http/http.ts'
import { createRateLimiter, type Timers } from './http/rate_limiter.ts'

/**
 * The context that the engine gives an activity. Heartbeats show a server that the activity is alive. After the death
 * of a worker, the next attempt gets the details of the last heartbeat.
 */
export type ActivityContext = {
  /** The details of the previous attempt; undefined at the first attempt. */
  heartbeatDetails: unknown
  heartbeat: (cursor: unknown) => void
  /** Aborts when the workflow is cancelled or the worker shuts down. */
  cancelled: AbortSignal | undefined
  /** Aborts when the worker ends soon: the units in flight are finished, and no other begins. */
  draining?: AbortSignal | undefined
}

/** The context of calls outside a workflow. */
export const detachedContext: ActivityContext = {
  heartbeatDetails: undefined,
  heartbeat: () => undefined,
  cancelled: undefined,
}

/** The result of reading units, as an attempt hands it to the next one. */
export const tallyShape = z.object({
  units: z.number(),
  rows: z.number(),
  quarantined: z.number(),
  bytes: z.number(),
  failed: z.number(),
  /** The failed units that are known to have rows and that the upstream does not show. */
  unlisted: z.number().exactOptional(),
  /** The first failures with their reasons. */
  failures: z.array(z.object({ unit: z.string(), reason: z.string() })),
  /** The units of strangers without rows; only a batch of requested accounts has any. */
  empty: z.array(z.object({ source: z.string(), key: z.string() })).exactOptional(),
})

/** The progress of a batch: the paths of the finished units, and their tally. */
export const batchCursor = z.object({ done: z.array(z.string()), tally: tallyShape })

/**
 * The same client with a limit on requests in 10 seconds. After a cancellation it throws an `AbortError`, which ends a
 * batch. Any other error would count as a failure of its unit.
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
 * Settles as `work` does, or rejects when it is cancelled. A hanging source then does not delay the end of its workflow
 * or of the process. The work must store nothing.
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

/** Thrown by a batch whose worker ends: another worker reads the units that are left. */
export class Drained extends Error {
  override name = 'Drained'
}
