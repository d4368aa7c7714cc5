import type { z } from 'zod'

import type { HostName } from './hosts.ts'

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

export type HttpRequest = {
  host: HostName
  path: string
  /** Values that are undefined are left out; a list repeats its name. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  /** Default: GET. */
  method?: 'GET' | 'POST'
  /** Sent as JSON. */
  body?: Json
}

/** A value as JSON carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }

/**
 * Asks an upstream for JSON and parses it by a zod shape. It waits for the host's rate, retries what may pass, and
 * throws an {@link HttpError} when the upstream said no or kept failing, a {@link ShapeError} when the answer has
 * another shape. A source never sees anything but this function, so the same source runs on the network and on
 * stored bodies.
 */
export type Get = <T>(request: HttpRequest, shape: z.ZodType<T>) => Promise<T>
