import type { z } from 'zod'

import manifest from '#package.json' with { type: 'json' }

import type { Host, HostName } from './hosts.ts'
import { createRateLimiter, type RateLimiter, type Timers } from './rate_limiter.ts'
import { encodeQuery, type HttpRequest } from './request.ts'
import { HttpError, parseShape, type Reply } from './response.ts'

export { replayHttp } from './replay.ts'
export { HttpError, ShapeError, type Reply, type StoredReply } from './response.ts'
/** Sees every final reply: all 200s, and what an upstream refused for good. */
export type OnReply = (reply: Reply) => void | Promise<void>

/** A `Get` on the network. A caller that stores the bodies of its own requests hands in its own `onReply`. */
export type Http = <T>(request: HttpRequest, shape: z.ZodType<T>, onReply?: OnReply) => Promise<T>

/** Counted while it runs, for progress. */
export type HttpCounts = { requests: number; bytes: number; retries: number }

export type HttpOptions = Timers & {
  hosts: Record<HostName, Host>
  /** In [0, 1): spreads retries, so that many workers do not come back at once. */
  random: () => number
  fetch?: typeof fetch
  /** Ends all requests and waits. */
  signal?: AbortSignal
  onReply?: OnReply
  counts?: HttpCounts
  limits?: Partial<typeof defaultLimits>
}

const defaultLimits = { attempts: 8, timeout_ms: 30_000, body_bytes: 64 * 1024 * 1024 }

const BACKOFF_MS = { first: 500, most: 30_000 }
/** Who asks for a longer pause is left alone: the unit is missing and comes again. */
const LONGEST_PAUSE_MS = 600_000

type Answer = { status: number; body: string; headers: Record<string, string> }
/** What one attempt came to; `what` continues a sentence that begins with the route. */
type Attempt =
  | (Answer & { is: 'final'; json: unknown })
  | (Answer & { is: 'refused'; what: string })
  | (Answer & { is: 'failed'; what: string; pause_ms?: number | undefined })

/** The only fetch: makes a {@link Get} with one lane a host. Hand the same one to all who ask. */
export function createHttp(options: HttpOptions): Http {
  const limits = { ...defaultLimits, ...options.limits }
  const lanes = new Map<HostName, RateLimiter>()
  // Not AbortSignal.any of `signal`: it lives as long as the process, and keeps an entry for each that is joined to it.
  const running = new Set<AbortController>()
  const stop = (): void => running.forEach((request) => request.abort(options.signal?.reason))
  options.signal?.addEventListener('abort', stop, { once: true })
  const laneTo = (name: HostName): RateLimiter => {
    const lane = lanes.get(name) ?? createRateLimiter(options.hosts[name], options, options.signal)
    lanes.set(name, lane)
    return lane
  }

  return async (request, shape, onReply) => {
    const { host, path } = request
    const query = encodeQuery(request.query)
    const url = `${options.hosts[host].url.replace(/\/+$/, '')}${path}${query && `?${query}`}`
    const lane = laneTo(host)
    for (let attempts = 1; ; attempts += 1) {
      options.signal?.throwIfAborted()
      const attempt = await lane.run(() => ask(url, request, options, { limits, running }))
      const { status, body, headers } = attempt
      if (attempt.is !== 'failed') {
        // What was cut off is no reply that could be read again.
        if (attempt.is === 'final' || status >= 400) {
          const reply = { host, path, query, status, body, headers }
          await options.onReply?.(reply)
          await onReply?.(reply)
        }
        if (attempt.is === 'final') return parseShape(host, path, attempt.json, shape)
        throw new HttpError({ host, path, status, attempts, body, what: attempt.what })
      }
      const { what, pause_ms } = attempt
      if (attempts >= limits.attempts || (pause_ms ?? 0) > LONGEST_PAUSE_MS) {
        throw new HttpError({ host, path, status, attempts, body, what })
      }
      if (options.counts) options.counts.retries += 1
      const backoff_ms = options.random() * Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** (attempts - 1))
      if (pause_ms !== undefined || status === 429) lane.pauseFor(pause_ms ?? backoff_ms)
      else await options.sleep(backoff_ms, options.signal)
    }
  }
}

async function ask(
  url: string,
  { method = 'GET', body: sent }: HttpRequest,
  options: HttpOptions,
  { limits, running }: { limits: typeof defaultLimits; running: Set<AbortController> },
): Promise<Attempt> {
  const { counts, signal, fetch: send = fetch } = options
  signal?.throwIfAborted()
  if (counts) counts.requests += 1
  const timeout = AbortSignal.timeout(limits.timeout_ms)
  const stop = new AbortController()
  running.add(stop)
  try {
    const response = await send(url, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': `tapeline/${manifest.version}`,
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      redirect: 'manual',
      signal: AbortSignal.any([stop.signal, timeout]),
    })
    const headers = Object.fromEntries(response.headers)
    const body = await readBody(response, limits.body_bytes, counts)
    if (body === null) {
      const what = `answered with more than ${limits.body_bytes} bytes`
      return { is: 'refused', status: response.status, body: '', headers, what }
    }
    return judge({ status: response.status, body, headers }, options.now_ms())
  } catch (error) {
    signal?.throwIfAborted()
    const what = timeout.aborted
      ? `did not answer within ${limits.timeout_ms / 1000} s`
      : `could not be read: ${causeOf(error)}`
    return { is: 'failed', status: 0, body: '', headers: {}, what }
  } finally {
    running.delete(stop)
  }
}

/** The body as text, or null when it is too long: then the rest is not read. */
async function readBody(response: Response, limit: number, counts?: HttpCounts): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: AsyncIterable<Uint8Array> | null = response.body
  if (stream === null) return ''
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (counts) counts.bytes += chunk.byteLength
    if (size > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function judge(answer: Answer, now_ms: number): Attempt {
  const { status, headers } = answer
  const what = `answered ${status}`
  if ([408, 425, 429].includes(status) || status >= 500) {
    return { ...answer, is: 'failed', what, pause_ms: retryAfter_ms(headers, now_ms) }
  }
  if (status >= 300 && status < 400)
    return { ...answer, is: 'refused', what: `${what}, a redirect that is not followed` }
  if (status >= 400) return { ...answer, is: 'refused', what }
  try {
    return { ...answer, is: 'final', json: JSON.parse(answer.body) }
  } catch {
    return { ...answer, is: 'failed', what: `${what} with a body that is not JSON` }
  }
}

/** `Retry-After` in either of its forms; a date counts from the upstream's own clock where it shows that. */
function retryAfter_ms(headers: Record<string, string>, now_ms: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const until_ms = Date.parse(value)
  const from_ms = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(until_ms)) return undefined
  return Math.max(0, until_ms - (Number.isNaN(from_ms) ? now_ms : from_ms))
}

/** fetch says only "fetch failed"; its cause says why. */
const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message
}

/** What it comes to, or the error of a route that is not there. */
export const unless404 = <T>(reading: Promise<T>): Promise<T | HttpError> =>
  reading.catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 404) return error
    throw error
  })
