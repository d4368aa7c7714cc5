import manifest from '#package.json' with { type: 'json' }

import { decodeJson, decodeText, readBody } from './body.ts'
import type { Document, HttpRequest } from './request.ts'
import type { WireRequest } from './secrets.ts'
import type { Send } from './send.ts'

/**
 * Counts of the requests so far, for progress reports and metrics. `throttled` counts the responses with status 429.
 */
export type HttpCounts = { requests: number; bytes: number; retries: number; throttled: number }

export type Limits = { attempts: number; timeout_ms: number; body_bytes: number }

type Answer = { status: number; body: string; headers: Record<string, string> }

/** The outcome of one attempt. `what` is the predicate of a sentence with the route as its subject. */
export type Attempt =
  | (Answer & { is: 'final'; value: unknown })
  | (Answer & { is: 'refused'; what: string })
  | (Answer & { is: 'failed'; what: string; pause_ms?: number | undefined })

export type AttemptTools = {
  send: Send
  /** Removes the secrets of the host. */
  redact: (text: string) => string
  as: HttpRequest['as']
  /** Ends the attempt. */
  stop: AbortSignal
  now_ms: () => number
  limits: Limits
  counts: HttpCounts | undefined
}

/** Sends a request once and reads the whole response. It throws only if `stop` aborts. */
export async function attempt({ url, ...wire }: WireRequest, tools: AttemptTools): Promise<Attempt> {
  const { send, redact, as = 'json', stop, limits, counts } = tools
  if (counts) counts.requests += 1
  const timeout = AbortSignal.timeout(limits.timeout_ms)
  const accept = as === 'json' ? 'application/json' : 'text/html, application/xml, text/*;q=0.9, */*;q=0.5'
  try {
    const response = await send(url, {
      method: wire.method,
      headers: { accept, 'user-agent': `tapeline/${manifest.version}`, ...wire.headers },
      ...(wire.body === undefined ? {} : { body: wire.body }),
      redirect: 'manual',
      signal: AbortSignal.any([stop, timeout]),
    })
    if (counts && response.status === 429) counts.throttled += 1
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, redact(value)]))
    const bytes = await readBody(response, limits.body_bytes, counts)
    if (bytes === null) {
      const what = `answered with more than ${limits.body_bytes} bytes`
      return { is: 'refused', status: response.status, body: '', headers, what }
    }
    const body = redact(as === 'json' ? decodeJson(bytes) : decodeText(bytes, headers['content-type']))
    return judge({ status: response.status, body, headers }, as, tools.now_ms())
  } catch (error) {
    stop.throwIfAborted()
    const what = timeout.aborted
      ? `did not answer within ${limits.timeout_ms / 1000} s`
      : `could not be read: ${redact(causeOf(error))}`
    return { is: 'failed', status: 0, body: '', headers: {}, what }
  }
}

function judge(answer: Answer, as: NonNullable<HttpRequest['as']>, now_ms: number): Attempt {
  const { status, headers } = answer
  const what = `answered ${status}`
  if ([408, 425, 429].includes(status) || status >= 500) {
    return { ...answer, is: 'failed', what, pause_ms: retryAfter_ms(headers, now_ms) }
  }
  if (as === 'document' && (status < 300 || status === 304))
    return { ...answer, is: 'final', value: documentOf(answer) }
  if (status >= 300 && status < 400)
    return { ...answer, is: 'refused', what: `${what}, a redirect that is not followed` }
  if (status >= 400) return { ...answer, is: 'refused', what }
  if (as === 'text') return { ...answer, is: 'final', value: answer.body }
  try {
    return { ...answer, is: 'final', value: JSON.parse(answer.body) }
  } catch {
    return { ...answer, is: 'failed', what: `${what} with a body that is not JSON` }
  }
}

const documentOf = ({ status, body, headers }: Answer): Document => ({
  text: status === 304 ? null : body,
  etag: headers['etag'] ?? null,
  last_modified: headers['last-modified'] ?? null,
})

/** `Retry-After` as seconds or as a date. A date is compared with the upstream's `Date` header if there is one. */
function retryAfter_ms(headers: Record<string, string>, now_ms: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const until_ms = Date.parse(value)
  const from_ms = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(until_ms)) return undefined
  return Math.max(0, until_ms - (Number.isNaN(from_ms) ? now_ms : from_ms))
}

/** An error of several addresses of a host has no message of its own. */
const causeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(causeOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
