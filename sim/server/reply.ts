import type { Micros } from '#time.ts'

/** A host's response to one request. */
export type Reply = { status: number; body: string; headers?: Record<string, string> }

/** A request as the hosts see it: the path without the host's prefix. */
export type Ask = { path: string; query: URLSearchParams; userAgent?: string | undefined }

/** The response of a social platform at an instant. It may depend on headers, such as validators and keys. */
export type SocialAnswer = (
  ask: Ask,
  now: Micros,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => Reply

/** One instant of the world. */
export type Instant = {
  now_s: number
  /** The last visible instant of the data feeds: before `now_s` if the venue's caches lag. */
  seen_s: number
}

export const json = (value: unknown): Reply => ({ status: 200, body: JSON.stringify(value) })

/** The first present spelling of a parameter. */
export function param(query: URLSearchParams, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = query.get(name)
    if (value !== null) return value
  }
  return undefined
}

/** Every value of a parameter that may be repeated or hold a list. */
export function list(query: URLSearchParams, ...names: string[]): string[] {
  return names
    .flatMap((name) => query.getAll(name))
    .flatMap((value) => value.split(','))
    .filter((value) => value !== '')
}

/** A whole number; `undefined` if absent, NaN if invalid. */
export function whole(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}
