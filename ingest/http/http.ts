import type { z } from 'zod'

import { attempt, countedAnswer, sendHttp, turnedAway, type Attempt, type HttpCounts, type Limits } from './attempt.ts'
import { hostOf, lacksKey, worldOf, type ConfiguredHost, type HostName, type Hosts } from './host.ts'
import { createRateLimiter, type RateLimiter, type Timers } from './rate_limiter.ts'
import { keyOf, targetsOf, type HttpRequest } from './request.ts'
import { HttpError, parseShape, type Reply } from './response.ts'
import { redactorOf, wireRequest } from './secrets.ts'

export { replayHttp } from './replay.ts'
export { HttpError, ShapeError, type Reply, type StoredReply } from './response.ts'
export { newCounts, type HttpCounts } from './attempt.ts'

/** Receives every final response: each 200, and each 4xx that is not retried. */
export type OnReply = (reply: Reply) => void | Promise<void>

/** A `Get` on the network. A caller that stores the bodies of its requests passes its own `onReply`. */
export type Http = <T>(request: HttpRequest, shape: z.ZodType<T>, onReply?: OnReply) => Promise<T>

export type HttpOptions = Timers & {
  hosts: Hosts
  /** In [0, 1): spreads retries, so that many workers do not retry at once. */
  random: () => number
  /** Default: {@link sendHttp}. */
  fetch?: typeof fetch
  /** Aborts all requests and pauses. */
  signal?: AbortSignal
  onReply?: OnReply
  counts?: HttpCounts
  limits?: Partial<Limits>
  /** The number of processes that share the rate of a real host, by its name or that of its provider. */
  share?: (host: string) => Promise<number>
}

const defaultLimits: Limits = { attempts: 8, timeout_ms: 30_000, body_bytes: 64 * 1024 * 1024 }

const BACKOFF_MS = { first: 500, most: 30_000 }
/** A longer requested pause is not waited for: the unit is missing and is read later. */
const LONGEST_PAUSE_MS = 600_000
/** The limits while another upstream can take over. */
const withNext = { attempts: 3, longestPause_ms: 5_000 }

/** The shared tools of the requests to one host. */
type HostClient = {
  host: ConfiguredHost
  limiter: RateLimiter
  /** The limiters of routes, by the start of their paths. */
  routes: readonly [string, RateLimiter][]
  redact: (text: string) => string
}

type Outcome = Attempt & { attempts: number; hasFailed: boolean }

/** The only client of upstreams: makes an {@link Http} with one rate limiter for each host. All callers share it. */
export function createHttp(options: HttpOptions): Http {
  const limits = { ...defaultLimits, ...options.limits }
  const clientOf = createClients(options)
  // Not AbortSignal.any of `signal`: it has the lifetime of the process, and would hold an entry for each joined
  // signal.
  const running = new Set<AbortController>()
  const stopAll = (): void => running.forEach((request) => request.abort(options.signal?.reason))
  options.signal?.addEventListener('abort', stopAll, { once: true })
  const failover = createFailover(options)

  /** The usable hosts: configured hosts that need no key or have their key. */
  const usable = (request: HttpRequest): readonly HostName[] => {
    const targets = targetsOf(request)
    const configured = targets.filter((name) => name in options.hosts)
    const all = (configured.length > 0 ? configured : targets).map((name) => hostOf(options.hosts, name))
    const names = all.filter((host) => !lacksKey(host)).map(({ name }) => name)
    const [first] = all
    // A request that must not be sent twice is not sent to a second host either.
    if (names.length > 0 || first === undefined) return request.isIdempotent === false ? names.slice(0, 1) : names
    const what = `got no request: ${[...new Set(all.map(({ secret }) => secret?.setting))].join(', ')} is not set; expected a key`
    throw new HttpError({ host: first.name, path: request.path, status: 0, attempts: 0, body: '', what, asked: [] })
  }

  let n_sent = 0
  /** Nanoseconds that differ between any two attempts of a process. */
  const distinctFrom = (now: number): string => `${BigInt(Math.floor(now)) * 1_000_000n + BigInt(n_sent++ % 1_000_000)}`

  const askOnce = async ({ host, redact }: HostClient, request: HttpRequest): Promise<Attempt> => {
    options.signal?.throwIfAborted()
    const stop = new AbortController()
    running.add(stop)
    const { fetch: send = sendHttp, counts, now_ms } = options
    const tools = { send, redact, as: request.as, stop: stop.signal, now_ms, limits, counts }
    const answer = attempt(wireRequest(host, request, distinctFrom(now_ms())), tools)
    return countedAnswer(answer, host.name, counts).finally(() => running.delete(stop))
  }

  const askHost = async (name: HostName, request: HttpRequest, hasNext: boolean): Promise<Outcome> => {
    const client = clientOf(name)
    const ofRequest = request.isIdempotent === false ? 1 : (request.attempts ?? limits.attempts)
    const most = Math.min(ofRequest, hasNext ? withNext.attempts : limits.attempts)
    const longestPause_ms = hasNext || request.attempts !== undefined ? withNext.longestPause_ms : LONGEST_PAUSE_MS
    for (let attempts = 1; ; attempts += 1) {
      options.signal?.throwIfAborted()
      const answer = await inTurn(client, request.path, () => askOnce(client, request))
      if (answer.is !== 'failed') return { ...answer, attempts, hasFailed: turnedAway.has(answer.status) }
      const { pause_ms } = answer
      const backoff_ms = options.random() * Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** (attempts - 1))
      const isPausing = pause_ms !== undefined || answer.status === 429
      const isLast = attempts >= Math.min(most, limits.attempts) || (pause_ms ?? 0) > longestPause_ms
      if (isLast) return { ...answer, attempts, hasFailed: true }
      if (options.counts) options.counts.retries += 1
      // A host may request no pause at all.
      if (isPausing) client.limiter.pauseFor(Math.max(pause_ms ?? 0, backoff_ms))
      else await options.sleep(backoff_ms, options.signal)
    }
  }

  return async (request, shape, onReply) => {
    const key = keyOf(request)
    const { path } = request
    let sent = 0
    const { outcome, name, asked } = await failover(usable(request), async (host, hasNext) => {
      const tried = await askHost(host, request, hasNext)
      sent += tried.attempts
      return tried
    })
    const { status, body, headers, attempts } = outcome
    // A response that was cut off is not stored, since it cannot be parsed again.
    if (outcome.is === 'final' || (outcome.is === 'refused' && status >= 400)) {
      const world = headers['x-simulated-world'] ?? worldOf(clientOf(name).host)
      const reply = { ...key, host: name, status, body, headers, world, asked, sent }
      await options.onReply?.(reply)
      await onReply?.(reply)
    }
    if (outcome.is === 'final') return parseShape(name, path, outcome.value, shape)
    const pause_ms = outcome.is === 'failed' ? outcome.pause_ms : undefined
    const { what, limit } = outcome
    throw new HttpError({ host: name, path, status, attempts, body, what, limit, asked, sent, pause_ms })
  }
}

/** Makes the clients of hosts, each once. Hosts of one provider share a limiter. */
function createClients(options: HttpOptions): (name: HostName) => HostClient {
  const clients = new Map<HostName, HostClient>()
  const limiters = new Map<string, RateLimiter>()
  return (name) => {
    const existing = clients.get(name)
    if (existing) return existing
    const host = hostOf(options.hosts, name)
    const shared = host.provider ?? name
    // A simulated world needs no protection, and would only wait.
    const share = worldOf(host) === 'real' ? options.share : undefined
    const shareOfHost = share && (() => share(shared))
    const limiter = limiters.get(shared) ?? createRateLimiter(host, options, options.signal, shareOfHost)
    limiters.set(shared, limiter)
    const client = createClient(host, limiter, { ...options, shareOfHost })
    clients.set(name, client)
    return client
  }
}

function createClient(
  host: ConfiguredHost,
  limiter: RateLimiter,
  { shareOfHost, ...options }: HttpOptions & { shareOfHost: (() => Promise<number>) | undefined },
): HostClient {
  const ofRoute = (requestsPer10s: number): RateLimiter =>
    createRateLimiter({ ...host, requestsPer10s }, options, options.signal, shareOfHost)
  return {
    host,
    limiter,
    routes: Object.entries(host.routes ?? {}).map(([path, most]) => [path, ofRoute(most)]),
    redact: redactorOf(host),
  }
}

/** Runs a request when the limit of its route and that of its host allow it. */
const inTurn = <T>({ limiter, routes }: HostClient, path: string, request: () => Promise<T>): Promise<T> => {
  const route = routes.find(([start]) => path.startsWith(start))?.[1]
  return route === undefined ? limiter.run(request) : route.run(() => limiter.run(request))
}

/** The value, or the error of a missing route. */
export const unless404 = <T>(reading: Promise<T>): Promise<T | HttpError> =>
  reading.catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 404) return error
    throw error
  })

/** The failures in a row that open the circuit of a host, and the time for which it is open. */
const breaker = { failures: 5, pause_ms: 30_000 }

type Circuit = { failures: number; openUntil_ms: number }

/** Sends the request to one host; `hasNext`: another host can take over. */
export type AskHost<T> = (name: HostName, hasNext: boolean) => Promise<T>

/** Tries upstreams in the order of preference until an attempt succeeds. Returns the last outcome. */
export type Failover = <T extends { hasFailed: boolean; pause_ms?: number | undefined }>(
  names: readonly HostName[],
  ask: AskHost<T>,
) => Promise<{ outcome: T; name: HostName; asked: HostName[] }>

/**
 * A circuit breaker for each host. A host that failed several times in a row is skipped. After a pause a single request
 * tries it again (half-open). If the circuits of all upstreams are open, they are tried nevertheless.
 */
export function createFailover({ now_ms }: Pick<Timers, 'now_ms'>): Failover {
  const circuits = new Map<HostName, Circuit>()
  const circuitOf = (name: HostName): Circuit => {
    const circuit = circuits.get(name) ?? { failures: 0, openUntil_ms: now_ms() }
    circuits.set(name, circuit)
    return circuit
  }
  const isOpen = (name: HostName): boolean => circuitOf(name).openUntil_ms > now_ms()

  return async (names, ask) => {
    const [first, ...rest] = [...names.filter((name) => !isOpen(name)), ...names.filter(isOpen)]
    if (first === undefined) throw new Error('request: no upstream')
    const asked: HostName[] = []
    const tryHost: typeof ask = async (name, hasNext) => {
      asked.push(name)
      const circuit = circuitOf(name)
      // While this request tries the host again, other requests skip it.
      if (circuit.failures >= breaker.failures) circuit.openUntil_ms = now_ms() + breaker.pause_ms
      const outcome = await ask(name, hasNext)
      circuit.failures = outcome.hasFailed ? circuit.failures + 1 : 0
      // A pause that the host requests applies after any number of failures.
      const least_ms = circuit.failures >= breaker.failures ? breaker.pause_ms : 0
      const pause_ms = outcome.hasFailed ? Math.max(outcome.pause_ms ?? 0, least_ms) : 0
      circuit.openUntil_ms = now_ms() + pause_ms
      return outcome
    }
    let name = first
    let outcome = await tryHost(name, rest.length > 0)
    for (const [n, next] of rest.entries()) {
      if (!outcome.hasFailed) break
      name = next
      outcome = await tryHost(name, n < rest.length - 1)
    }
    return { outcome, name, asked }
  }
}
