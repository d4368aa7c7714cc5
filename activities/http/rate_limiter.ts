import type { Host } from './host.ts'

/** Spaces the requests to one host. All requests of the process share it, so that the limits hold for their sum. */
export type RateLimiter = {
  /** Runs a request when the host's rate and concurrency allow it. */
  run: <T>(request: () => Promise<T>) => Promise<T>
  /** Starts no request for a time, because the host requested a pause. */
  pauseFor: (wait_ms: number) => void
}

export type Timers = {
  now_ms: () => number
  sleep: (wait_ms: number, signal?: AbortSignal) => Promise<unknown>
}

/** After an idle time, the requests of this time may start at once. */
const BURST_MS = 1_000

/**
 * A token bucket, stored as one number: the instant at which the next request is due. It holds the tokens of a second.
 * Waiting requests keep their order.
 */
export const createRateLimiter = (
  host: Pick<Host, 'requestsPer10s' | 'concurrency'>,
  { now_ms, sleep }: Timers,
  signal?: AbortSignal,
): RateLimiter => {
  const interval_ms = 10_000 / host.requestsPer10s
  const waiting: (() => void)[] = []
  let running = 0
  let due_ms = Number.NEGATIVE_INFINITY
  let pausedUntil_ms = Number.NEGATIVE_INFINITY

  const takeToken = async () => {
    due_ms = Math.max(due_ms, now_ms() - BURST_MS)
    const mine_ms = due_ms
    due_ms += interval_ms
    // A loop, since a pause may begin or grow during the sleep.
    for (;;) {
      const wait_ms = Math.max(mine_ms, pausedUntil_ms) - now_ms()
      if (wait_ms <= 0) return
      await sleep(wait_ms, signal)
      signal?.throwIfAborted()
    }
  }

  return {
    run: async (request) => {
      if (running < host.concurrency) running += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        await takeToken()
        return await request()
      } finally {
        // The slot passes to the next waiting request, so that no other request takes it.
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
    pauseFor: (wait_ms) => {
      pausedUntil_ms = Math.max(pausedUntil_ms, now_ms() + wait_ms)
    },
  }
}
