import type { Host } from './host.ts'

/** The way to one host: all requests of the process go through it, so that its limits hold for all of them together. */
export type RateLimiter = {
  /** Runs a request when the host's rate and concurrency allow it. */
  run: <T>(request: () => Promise<T>) => Promise<T>
  /** Lets nobody through for a while: the host has had enough, whoever asks. */
  pauseFor: (wait_ms: number) => void
}

export type Timers = {
  now_ms: () => number
  sleep: (wait_ms: number, signal?: AbortSignal) => Promise<unknown>
}

/** An idle host may be asked this much of its rate at once. */
const BURST_MS = 1_000

/**
 * A token bucket kept as one number, the instant at which the next request is due; it holds a second's worth of
 * tokens. Waiting requests keep their order.
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
  let blockedUntil_ms = Number.NEGATIVE_INFINITY

  const takeToken = async () => {
    due_ms = Math.max(due_ms, now_ms() - BURST_MS)
    const mine_ms = due_ms
    due_ms += interval_ms
    // A block may be set or prolonged while we sleep, hence the loop.
    for (;;) {
      const wait_ms = Math.max(mine_ms, blockedUntil_ms) - now_ms()
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
        // The slot is handed on, not freed, so that nobody can slip in between.
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
    pauseFor: (wait_ms) => {
      blockedUntil_ms = Math.max(blockedUntil_ms, now_ms() + wait_ms)
    },
  }
}
