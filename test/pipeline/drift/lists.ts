import { z } from 'zod'

import { onRoute, type Drift } from './upstream.ts'

type Body = Record<string, unknown>
/** The drifts of a list, by name; each takes the path of the list. */
export const listDrifts: Record<string, (path: string) => Drift> = {
  'repeats its last row': (path) => pagesOf(path, (rows) => [...rows, ...rows.slice(-1)]),
  'shows half of each page': (path) => pagesOf(path, (rows) => rows.slice(0, Math.ceil(rows.length / 2))),
  'shows nothing': (path) =>
    pagesOf(
      path,
      () => [],
      edited((name, value) => [name, typeof value === 'number' ? 0 : '']),
    ),
  'lists half of its rows': (path) =>
    pagesOf(
      path,
      (rows) => rows.slice(0, Math.ceil(rows.length / 2)),
      edited((name, value) => [
        name,
        typeof value === 'number' && name !== 'totalPages' ? Math.ceil(value / 2) : value,
      ]),
    ),
  'renames its cursor': (path) =>
    pagesOf(
      path,
      asIs,
      edited((name, value) => [`${name}New`, value]),
    ),
  'ends after each page': (path) =>
    pagesOf(
      path,
      asIs,
      edited((name, value) => [name, typeof value === 'number' ? 1 : null]),
    ),
  'repeats its first page': (path) => looped(path),
}

const list = z.array(z.unknown())
const names = ['trades', 'markets', 'events', 'data']
/** The fields by which a list names its next page or its end. */
const ends = new Set([
  'cursor',
  'nextCursor',
  'next_cursor',
  'pagination',
  'totalPages',
  'totalCount',
  'totalMarketsCount',
])

/** Changes the rows of a list, and the fields beside it. */
export const pagesOf = (
  path: string,
  change: (rows: unknown[]) => unknown[],
  beside: (body: Body) => Body = (body) => body,
): Drift =>
  onRoute(path, (body) => {
    if (Array.isArray(body)) return change(list.parse(body))
    const name = names.find((one) => Array.isArray(body[one]))
    return name === undefined ? body : beside({ ...body, [name]: change(list.parse(body[name])) })
  })
const asIs = (rows: unknown[]): unknown[] => rows

/** Answers each page with the first one of its list; its cursor stays what it was. */
const looped = (path: string): Drift => {
  let first: Body | undefined
  return onRoute(path, (body, { query }) => {
    if (Array.isArray(body) || query.has('tickers')) return body
    first ??= body
    return first
  })
}

const edited = (change: (name: string, value: unknown) => [string, unknown]) => (body: Body) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => (ends.has(name) ? change(name, value) : [name, value])),
  )
