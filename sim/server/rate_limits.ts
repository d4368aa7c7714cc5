import type { Clock } from '#time.ts'

import type { Reply } from './reply.ts'

type Limit = { host: string; route: RegExp; perTenSeconds: number }

/** The venues' published and measured limits for one address. A request counts against every matching line. */
const limits: Limit[] = [
  { host: 'gamma', route: /^\/markets/, perTenSeconds: 300 },
  { host: 'gamma', route: /^\/events/, perTenSeconds: 500 },
  { host: 'gamma', route: /^/, perTenSeconds: 4000 },
  { host: 'data', route: /^\/v2\/trades/, perTenSeconds: 300 },
  { host: 'data', route: /^\/v2\/activity/, perTenSeconds: 200 },
  { host: 'data', route: /^\/v2\//, perTenSeconds: 800 },
  { host: 'data', route: /^\/trades/, perTenSeconds: 200 },
  { host: 'data', route: /^/, perTenSeconds: 1000 },
  { host: 'clob', route: /^/, perTenSeconds: 9000 },
  { host: 'kalshi', route: /^/, perTenSeconds: 200 },
]
const window = 10_000_000

/** The text of the gateway before the venue, without `Retry-After`. */
const gateway: Reply = { status: 429, body: 'error code: 1015' }

/**
 * Sliding windows by the machine's time. A full window returns 429, every second time by the gateway; Kalshi never
 * names a time.
 */
export function createLimiter(machine: Clock): (host: string, path: string) => Reply | undefined {
  const taken = limits.map((): number[] => [])
  let refused = 0
  return (host, path) => {
    const now = machine()
    const fitting = limits.flatMap((limit, i) =>
      limit.host === host && limit.route.test(path) ? [{ limit, own: taken[i] ?? [] }] : [],
    )
    for (const { own } of fitting) while ((own[0] ?? Infinity) <= now - window) own.shift()
    const full = fitting.find(({ limit, own }) => own.length >= limit.perTenSeconds)
    if (full === undefined) {
      for (const { own } of fitting) own.push(now)
      return undefined
    }
    if (host === 'kalshi') return { status: 429, body: '{"error":"too many requests"}' }
    if (refused++ % 2 === 1) return gateway
    const wait_s = Math.ceil(((full.own[0] ?? now) + window - now) / 1_000_000)
    const body = '{"error":"rate limited","code":"rate_limited","retryable":true,"trace_id":"4f1c"}'
    return { status: 429, body, headers: { 'retry-after': String(wait_s) } }
  }
}
