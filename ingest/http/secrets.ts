import type { ConfiguredHost } from './host.ts'
import { canonicalJson, encodeQuery, type HttpRequest } from './request.ts'

/** A request as it is sent, with the key of its host. It stays inside `http.ts`. */
export type WireRequest = { url: string; method: string; headers: Record<string, string>; body: string | undefined }

/** The parameter that no upstream knows. A cache that is keyed by the whole address misses where it changes. */
const unknownParameter = '_'

/**
 * Adds the host's address and key to a request. `distinct` differs between any two requests, and is sent with those
 * past the cache.
 */
export function wireRequest(host: ConfiguredHost, request: HttpRequest, distinct = ''): WireRequest {
  const { secret, key } = host
  const sent = secret === undefined || key === undefined ? undefined : `${secret.prefix ?? ''}${key}`
  const query = new URLSearchParams(encodeQuery(request.query))
  if (request.isPastCache === true) query.set(unknownParameter, distinct)
  const headers: Record<string, string> = { ...request.headers }
  let { body } = request
  if (secret !== undefined && sent !== undefined) {
    if (secret.in === 'query') query.set(secret.name, sent)
    if (secret.in === 'header') headers[secret.name] = sent
    if (secret.in === 'body') body = { ...(isObject(body) ? body : {}), [secret.name]: sent }
  }
  if (body !== undefined) headers['content-type'] ??= 'application/json'
  const search = query.toString()
  return {
    url: `${host.url.replace(/\/+$/, '')}${request.path}${search && `?${search}`}`,
    method: request.method ?? 'GET',
    headers,
    body: body === undefined ? undefined : canonicalJson(body),
  }
}

const isObject = (body: HttpRequest['body']): body is Exclude<typeof body, string | number | boolean | null> & object =>
  typeof body === 'object' && body !== null && !Array.isArray(body)

export const hidden = '[key removed]'

/** Shorter parts of an address, such as `v2`, are no keys. */
const leastKeyLength = 16
/** The least number of characters of a key that is removed at the end of a truncated text. */
const leastBeginning = 4

/**
 * Removes the secrets of a host from a text that leaves `http.ts`. Secrets are the key, and likely keys in an
 * overridden address. An upstream may repeat a key in an error, so all its responses pass through this function first.
 */
export function redactorOf({ key, url }: ConfiguredHost): (text: string) => string {
  const { pathname, searchParams, username, password } = new URL(url)
  const inAddress = [...pathname.split('/'), ...searchParams.values(), username, password]
  const secrets = [...(key === undefined ? [] : [key]), ...inAddress.filter(({ length }) => length >= leastKeyLength)]
  if (secrets.length === 0) return (text) => text
  const forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(forms.map((form) => form.replaceAll(/[^\w]/g, String.raw`\$&`)).join('|'), 'gi')
  return (text) => {
    const whole = text.replaceAll(pattern, hidden)
    const cut = Math.max(...secrets.map((secret) => lengthOfBeginning(whole, secret)))
    return cut >= leastBeginning ? `${whole.slice(0, -cut)}${hidden}` : whole
  }
}

/** The forms in which an upstream may write a key. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ '': secret }).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(secret)
    .slice(1, -1)
    .replaceAll('/', String.raw`\/`),
  secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
]

/** The length of the longest prefix of a secret at the end of a text. */
function lengthOfBeginning(text: string, secret: string): number {
  for (let length = secret.length - 1; length >= leastBeginning; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}
