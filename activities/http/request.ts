import { createHash } from 'node:crypto'

import type { z } from 'zod'

import type { Host, HostName } from './host.ts'

/** A value as JSON carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }

export type HttpRequest = Target & {
  path: string
  /** Values that are undefined are left out; a list repeats its name. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  /** Default: GET. */
  method?: 'GET' | 'POST'
  /** Sent as JSON. */
  body?: Json
  headers?: Record<string, string>
  /** How the shape is given the answer: parsed as JSON (the default), or as text in its own charset. */
  as?: 'json' | 'text'
  /** False: the request must not be sent twice, so that a failure is final. Sources only read, hence default true. */
  isIdempotent?: boolean
}

/** The host to ask, or upstreams in the order of preference: when one fails, the next one is asked. */
type Target =
  | { host: HostName; upstreams?: undefined }
  | { host?: undefined; upstreams: readonly [Pick<Host, 'name'>, ...Pick<Host, 'name'>[]] }

/** The hosts that a request may go to, in the order of preference. */
export const targetsOf = ({ host, upstreams }: Target): readonly HostName[] =>
  upstreams === undefined ? [host] : upstreams.map(({ name }) => name)

/** What identifies a request among stored replies. A GET without a body has neither `method` nor `digest`. */
export type RequestKey = {
  path: string
  /** The encoded query string, with sorted names. */
  query: string
  method?: string
  /** SHA-256 of the canonical body, in hexadecimal. */
  digest?: string
}

/** The key of a request. It holds no secret: `http.ts` adds those later. */
export function keyOf({ path, query, method = 'GET', body }: HttpRequest): RequestKey {
  const key = { path, query: encodeQuery(query) }
  if (method === 'GET' && body === undefined) return key
  if (body === undefined) return { ...key, method }
  return { ...key, method, digest: createHash('sha256').update(canonicalJson(body)).digest('hex') }
}

/** The query in one form, so that stored replies are found again: names sorted, values of a list in their order. */
export const encodeQuery = (query: HttpRequest['query'] = {}): string => {
  const pairs = new URLSearchParams()
  for (const name of Object.keys(query).toSorted()) {
    const value = query[name]
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) pairs.append(name, String(one))
  }
  return pairs.toString()
}

/** JSON in one form: the names of objects are sorted. */
export const canonicalJson = (value: Json): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )

/**
 * Asks an upstream and parses the answer by a zod shape. It waits for the host's rate, retries what may pass, and
 * throws an `HttpError` when the upstream refused or kept failing, a `ShapeError` when the answer has another shape. A
 * source never sees anything but this function, so that the same source runs on the network and on stored bodies.
 */
export type Get = <T>(request: HttpRequest, shape: z.ZodType<T>) => Promise<T>
