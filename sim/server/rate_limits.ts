import type { Limit } from '#sim/markets/venue.ts'
import type { Clock } from '#time.ts'

import type { Reply } from './reply.ts'

const window = 10_000_000

/** The text of the gateway before the venue, without `Retry-After`. */
const gateway: Reply = { status: 429, body: 'error code: 1015' }

/** A limit, and the response of its venue to too many requests, if it has one of its own. */
export type VenueLimit = Limit & { refusal: Reply | undefined }

/**
 * Sliding windows by the machine's time. A full window returns 429: the response of the venue, or one that names a time,
 * every second time by the gateway.
 */
export function createLimiter(
  limits: readonly VenueLimit[],
  machine: Clock,
): (host: string, path: string) => Reply | undefined {
  const taken = limits.map((): number[] => [])
  let refused = 0
  return (host, path) => {
    const now = machine()
    const fitting = limits.flatMap((limit, i) =>
      limit.host === host && limit.route.test(path) ? [{ limit, times: taken[i] ?? [] }] : [],
    )
    for (const { times } of fitting) while ((times[0] ?? Infinity) <= now - window) times.shift()
    const full = fitting.find(({ limit, times }) => times.length >= limit.perTenSeconds)
    if (full === undefined) {
      for (const { times } of fitting) times.push(now)
      return undefined
    }
    if (full.limit.refusal !== undefined) return full.limit.refusal
    if (refused++ % 2 === 1) return gateway
    const wait_s = Math.ceil(((full.times[0] ?? now) + window - now) / 1_000_000)
    const body = '{"error":"rate limited","code":"rate_limited","retryable":true,"trace_id":"4f1c"}'
    return { status: 429, body, headers: { 'retry-after': String(wait_s) } }
  }
}
