import { createHash } from 'node:crypto'

import type { z } from 'zod'

import type { Host, HostName } from './host.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }

export type HttpRequest = Target & {
  path: string
  /** Undefined values are left out; a list repeats its name. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  /** Default: GET. */
  method?: 'GET' | 'POST'
  /** Sent as JSON. */
  body?: Json
  headers?: Record<string, string>
  /**
   * The input of the shape: the response parsed as JSON (the default), as text in its own charset, or as a
   * {@link Document}.
   */
  as?: 'json' | 'text' | 'document'
  /** Past the cache: sent with a changing parameter, which is no part of the request's key. */
  isPastCache?: true
  /** The most attempts at a host, for a caller that takes over a failure itself. */
  attempts?: number
  /** False: the request must not be sent twice, so a failure is final. The default is true, since sources only read. */
  isIdempotent?: boolean
}

/**
 * A text with its validators, which a later request may send in `if-none-match` and `if-modified-since`. `text` is null
 * if the upstream answered that it has not changed.
 */
export type Document = { text: string | null; etag: string | null; last_modified: string | null }

/** The host, or upstreams in the order of preference. If an upstream fails, the request is sent to the next. */
type Target =
  | { host: HostName; upstreams?: undefined }
  | { host?: undefined; upstreams: readonly [Pick<Host, 'name'>, ...Pick<Host, 'name'>[]] }

/** The hosts of a request, in the order of preference. */
export const targetsOf = ({ host, upstreams }: Target): readonly HostName[] =>
  upstreams === undefined ? [host] : upstreams.map(({ name }) => name)

/** The identity of a request among stored responses. A GET without a body has neither `method` nor `digest`. */
export type RequestKey = {
  path: string
  /** The encoded query string, with sorted names. */
  query: string
  method?: string
  /** SHA-256 of the canonical body, in hexadecimal. */
  digest?: string
}

/** The key of a request. It has no secret: `http.ts` adds secrets later. */
export function keyOf({ path, query, method = 'GET', body }: HttpRequest): RequestKey {
  const key = { path, query: encodeQuery(query) }
  if (method === 'GET' && body === undefined) return key
  if (body === undefined) return { ...key, method }
  return { ...key, method, digest: createHash('sha256').update(canonicalJson(body)).digest('hex') }
}

/** The canonical query, by which stored responses are found: names sorted, values of a list in their order. */
export const encodeQuery = (query: HttpRequest['query'] = {}): string => {
  const pairs = new URLSearchParams()
  for (const name of Object.keys(query).toSorted()) {
    const value = query[name]
    if (value === undefined) continue
    for (const element of Array.isArray(value) ? value : [value]) pairs.append(name, String(element))
  }
  return pairs.toString()
}

/** Canonical JSON: the names of objects are sorted. */
export const canonicalJson = (value: Json): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )

/**
 * Sends a request and parses the response by a zod shape. It waits for the host's rate and retries temporary failures.
 * It throws an `HttpError` if the upstream refused or failed repeatedly, and a `ShapeError` if the response has another
 * shape. A source gets only this function, so that the same source runs on the network and on stored bodies.
 */
export type Get = <T>(request: HttpRequest, shape: z.ZodType<T>) => Promise<T>
