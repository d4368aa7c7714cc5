import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { Unit } from '#lake/units/unit.ts'
import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'

import { openReadings, textOf, type Readings } from './readings.ts'
import { damages, fieldsOf, kalshiRoutes, limitlessRoutes } from './routes.ts'
import { onRoute, type Drift } from './upstream.ts'

type Body = Record<string, unknown>
const list = z.array(z.unknown())
const names = ['trades', 'markets', 'events', 'data']
/** The fields by which a list names its next page or its end. */
const ends = new Set(['cursor', 'nextCursor', 'totalPages', 'totalCount', 'totalMarketsCount'])

/** Changes the rows of a list, and the fields beside it. */
const pagesOf = (
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

/** What a list may do wrong, by its path. */
const drifts: Record<string, (path: string) => Drift> = {
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
  'repeats its first page': looped,
}

const venues = [
  {
    venue: 'kalshi',
    scale: 0.3,
    read: ['kalshi_markets', 'kalshi_settlements', 'kalshi_trades', 'kalshi_odds'],
    fields: kalshiRoutes,
    lists: [
      { source: 'kalshi_markets', path: '/markets' },
      { source: 'kalshi_odds', path: '/markets' },
      { source: 'kalshi_trades', path: '/markets/trades' },
      { source: 'kalshi_settlements', path: '/markets' },
    ],
    // A list without a limit has pages of 100 rows.
    limits: { mostRows: 100 },
  },
  {
    venue: 'limitless',
    scale: 0.1,
    read: ['limitless_markets', 'limitless_odds', 'limitless_trades', 'limitless_activity', 'limitless_resolutions'],
    fields: limitlessRoutes,
    lists: [
      { source: 'limitless_markets', path: '/markets/active' },
      { source: 'limitless_odds', path: '/markets/active' },
      { source: 'limitless_trades', path: '/markets/*/events' },
      { source: 'limitless_trades', path: '/markets/*/get-feed-events' },
      { source: 'limitless_activity', path: '/portfolio/*/history' },
    ],
    limits: {},
  },
]

/** A short run leaves out those that read like another. */
const fieldKinds = sized(['renamed'], Object.keys(damages))
const listKinds = sized(['repeats its last row', 'shows half of each page'], Object.keys(drifts))

/** A reading of an upstream that drifts has the rows of a healthy one, or is not complete and has a reason. */
describe.each(venues)('$venue', ({ venue, scale, read, fields, lists, limits }) => {
  const world = createWorld({ seed: 5, scale })
  let readings: Readings
  beforeAll(async () => {
    readings = await openReadings({ [venue]: world }, world, read, limits)
  })
  afterAll(() => readings.close())

  describe.each(fields.map((route) => ({ ...route, route })))('as $source reads $path', ({ route }) => {
    let unit: Unit
    let healthy: string
    beforeAll(async () => {
      unit = await readings.unitOf(route)
      healthy = textOf(await readings.readingOf(unit))
    })

    it.each(fieldsOf(route))('changes %s: it is noticed, or changes no row', async (field) => {
      for (const kind of fieldKinds) {
        const drift = onRoute(route.path, (body) => route.change(body, (row) => damages[kind]?.(row, field) ?? row))
        expect([kind, await readings.outcomeOf(unit, drift, healthy)]).not.toEqual([kind, 'unnoticed'])
      }
    })

    const isList = lists.some(({ source, path }) => source === route.source && path === route.path)
    it.each(isList ? listKinds : [])('%s: it is noticed, or changes no row', async (name) => {
      const drift = drifts[name]
      if (drift === undefined) throw new Error(`drift ${name}: unknown; expected one of the list`)
      expect(await readings.outcomeOf(unit, drift(route.path), healthy)).not.toBe('unnoticed')
    })
  })
})
