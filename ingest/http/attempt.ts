import { isAscii } from 'node:buffer'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip } from 'node:zlib'

import manifest from '#package.json' with { type: 'json' }

import type { Document, HttpRequest } from './request.ts'
import type { HttpLimit } from './response.ts'
import type { WireRequest } from './secrets.ts'

/**
 * Counts of the requests so far, for progress reports and metrics. `throttled` counts the responses with status 429.
 * `answers` counts the attempts by host and status; the status is 0 without a whole response. `fault` says why the last
 * attempt has failed; null if it has not.
 */
export type HttpCounts = {
  requests: number
  bytes: number
  retries: number
  throttled: number
  answers: Map<string, Map<number, number>>
  fault: string | null
}

export const newCounts = (): HttpCounts => ({
  requests: 0,
  bytes: 0,
  retries: 0,
  throttled: 0,
  answers: new Map(),
  fault: null,
})

/** With these statuses a host rejects the client, not the request. */
export const turnedAway: ReadonlySet<number> = new Set([401, 402, 403])

/** Counts an attempt at a host by its status, and notes its fault. */
export async function countedAnswer(answer: Promise<Attempt>, host: string, counts?: HttpCounts): Promise<Attempt> {
  const answered = await answer
  if (counts === undefined) return answered
  const { status } = answered
  const statuses = counts.answers.get(host) ?? new Map<number, number>()
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  counts.answers.set(host, statuses)
  const isFault = answered.is === 'failed' || (answered.is === 'refused' && turnedAway.has(status))
  counts.fault = isFault ? `${host} ${answered.what}` : null
  return answered
}

export type Limits = { attempts: number; timeout_ms: number; body_bytes: number }

type Answer = { status: number; body: string; headers: Record<string, string> }

/** The outcome of one attempt. `what` is the predicate of a sentence with the route as its subject. */
export type Attempt =
  | (Answer & { is: 'final'; value: unknown })
  | (Answer & { is: 'refused'; what: string; limit?: HttpLimit })
  | (Answer & { is: 'failed'; what: string; limit?: HttpLimit; pause_ms?: number | undefined })

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
      return { is: 'refused', status: response.status, body: '', headers, what, limit: 'bytes' }
    }
    const body = redact(as === 'json' ? decodeJson(bytes) : decodeText(bytes, headers['content-type']))
    return judge({ status: response.status, body, headers }, as, tools.now_ms())
  } catch (error) {
    stop.throwIfAborted()
    const failed = { is: 'failed', status: 0, body: '', headers: {} } as const
    if (timeout.aborted)
      return { ...failed, what: `did not answer within ${limits.timeout_ms / 1000} s`, limit: 'time' }
    return { ...failed, what: `could not be read: ${redact(causeOf(error))}` }
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

/** The parts of a request that `attempt` sets; a subset of those of `fetch`. */
type Sending = {
  method: string
  headers: Record<string, string>
  body?: string
  /** Redirects are answers. */
  redirect: 'manual'
  signal: AbortSignal
}

/** A response, whose body is read once. Its body is decompressed. */
type Received = {
  status: number
  headers: Iterable<[string, string]>
  body: AsyncIterable<Uint8Array> | null
}

type Send = (url: string, sending: Sending) => Promise<Received>

/**
 * Sends a request by `node:http`, which keeps connections open between requests. `fetch` takes twice the CPU, since its
 * streams copy each chunk of a body.
 */
export const sendHttp: Send = (address, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const url = new URL(address)
    // Node would send these in a form of their own, which a secret of the host is not removed from.
    if (`${url.username}${url.password}` !== '')
      throw new Error(`${address}: it has a user or a password; expected an address without them`)
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    const options = { method, headers: { 'accept-encoding': 'br, gzip', ...headers }, signal }
    request(url, options, (response) =>
      resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: decompressed(response) }),
    )
      .on('error', reject)
      .end(body)
  })

/** The headers, in lower case. A repeated header is one text, as `fetch` gives it. */
const headersOf = ({ headersDistinct }: IncomingMessage): [string, string][] =>
  Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')])

/** Bodies that end early are read as far as they go: browsers do so, and some servers leave out the end of a stream. */
const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
}

function decompressed(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const make = decompressors[response.headers['content-encoding']?.trim().toLowerCase() ?? '']
  // The reader of the other stream gets the failures of the response too.
  return make === undefined ? response : pipeline(response, make(), () => undefined)
}

/** The bytes of a body, as they came. */
type Body = readonly Uint8Array[]

/** The bytes of a response in chunks, or null if they are too many. The rest of a longer body is not read. */
async function readBody({ body }: Received, limit: number, counts?: { bytes: number }): Promise<Body | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (counts) counts.bytes += chunk.byteLength
    if (size > limit) return null
    chunks.push(chunk)
  }
  return chunks
}

/** New memory for each body costs as much as decoding it. The system gives the pages of this as they are first used. */
const shared = Buffer.allocUnsafeSlow(16 * 1024 * 1024)

/** The bytes of a body, until the next call. */
function joined(chunks: Body): Buffer {
  const size = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (size > shared.length) return Buffer.concat(chunks, size)
  let at = 0
  for (const chunk of chunks) {
    shared.set(chunk, at)
    at += chunk.byteLength
  }
  return shared.subarray(0, size)
}

/** JSON is UTF-8. Most bodies are ASCII alone, whose bytes are copied without decoding. */
function decodeJson(body: Body): string {
  const bytes = joined(body)
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

const charsetInHeader = /charset\s*=\s*"?([\w.:-]+)/i
/** The declarations of HTML and XML. They are within the first 1,024 bytes, and are ASCII in all common charsets. */
const charsetInText = /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)|^\s*<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)/i

/** Decodes text by its byte order mark, its header or its own declaration; as UTF-8 without a known charset. */
function decodeText(body: Body, contentType: string | undefined): string {
  const bytes = joined(body)
  const declared = charsetInText.exec(bytes.subarray(0, 1024).toString('latin1'))
  const label = charsetInHeader.exec(contentType ?? '')?.[1] ?? declared?.[1] ?? declared?.[2] ?? 'utf-8'
  try {
    return new TextDecoder(charsetOfMark(bytes) ?? label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function charsetOfMark(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 3).toString('hex')
  if (start === 'efbbbf') return 'utf-8'
  if (start.startsWith('feff')) return 'utf-16be'
  return start.startsWith('fffe') ? 'utf-16le' : undefined
}
