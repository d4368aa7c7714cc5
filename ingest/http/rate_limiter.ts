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
 * A token bucket, stored as one number: the instant of the last token. It holds the tokens of a second. Waiting
 * requests keep their order. `share` is the number of processes that share the rate; without it this process has all of
 * it.
 */
export const createRateLimiter = (
  host: Pick<Host, 'requestsPer10s' | 'concurrency'>,
  { now_ms, sleep }: Timers,
  signal?: AbortSignal,
  share?: () => Promise<number>,
): RateLimiter => {
  const interval_ms = 10_000 / host.requestsPer10s
  const waiting: (() => void)[] = []
  let running = 0
  let last_ms = Number.NEGATIVE_INFINITY
  let pausedUntil_ms = Number.NEGATIVE_INFINITY
  let before: Promise<unknown> = Promise.resolve()

  const takeToken = async (): Promise<void> => {
    // A loop, since a pause may begin or grow during the sleep, and others may begin to share the rate.
    for (;;) {
      const n_shares = share === undefined ? 1 : await share()
      const mine_ms = Math.max(last_ms + interval_ms * n_shares, now_ms() - BURST_MS)
      const wait_ms = Math.max(mine_ms, pausedUntil_ms) - now_ms()
      if (wait_ms <= 0) {
        last_ms = mine_ms
        return
      }
      await sleep(wait_ms, signal)
      signal?.throwIfAborted()
    }
  }

  const takeTokenInTurn = (): Promise<void> => {
    const mine = before.then(takeToken)
    before = mine.catch(() => undefined)
    return mine
  }

  return {
    run: async (request) => {
      if (running < host.concurrency) running += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        await takeTokenInTurn()
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
