import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { hostUrls } from '#sim/markets/polymarket_wire/hosts.ts'

import { recordedRows, recordingsDir, routeOf } from './routes.ts'

type Body = Record<string, unknown>

const notRecorded = 'not recorded'

/** Units of markets without a recorded answer fail, since the venue has a volume of them. */
export const unrecorded = { mayFail: notRecorded }

/** The body of a route, or undefined for a request without a recording: a 404, and never an empty list. */
type Route = (query: URLSearchParams, path: string) => unknown

export type ServedRecordings = SimulatedWorld & { close: () => Promise<void> }

/**
 * Serves the recordings at the venue's routes, on 127.0.0.1.
 *
 *  - gamma `/markets/keyset`, `/events/keyset`: all recorded ones, with the filters `closed` and `condition_ids`;
 *  - clob `/markets` and `/markets/<condition id>`;
 *  - data `/trades?user|market` (all rows only: the takers alone were not recorded) and `/activity?user`;
 *  - data `/v2/resolutions` for the recorded condition.
 *
 * The other v2 routes are absent: of their answers only the first page was recorded, whose cursor leads nowhere.
 */
export async function serveRecordings({ dir = recordingsDir }: { dir?: string } = {}): Promise<ServedRecordings> {
  const rows = (route: string) => recordedRows(routeOf(route), dir)
  const markets = byKey(rows('/markets/keyset'), 'conditionId')
  const events = byKey(rows('/events/keyset'), 'id')
  const clobMarkets = byKey(rows('/markets'), 'condition_id')
  const trades = rows('/trades')
  const activity = rows('/activity')
  const resolutions = rows('/v2/resolutions')
  const hosts: Record<string, Record<string, Route>> = {
    gamma: {
      '/markets/keyset': (query) => keysetPage('markets', markets, query),
      '/events/keyset': (query) => keysetPage('events', events, query),
    },
    clob: {
      '/markets': (query) => clobPage([...clobMarkets.values()], query),
      '/markets/:id': (_, path) => clobMarkets.get(path.slice('/markets/'.length)),
    },
    data: {
      '/trades': (query) => (query.get('takerOnly') === 'false' ? offsetPage(trades, query) : undefined),
      '/activity': (query) => offsetPage(activity, query),
      '/v2/resolutions': (query) => exactly(resolutions, query.get('condition')?.split(',') ?? []),
    },
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, host = '', ...rest] = url.pathname.split('/')
    const path = `/${rest.join('/')}`
    const route = hosts[host]?.[path] ?? hosts[host]?.[path.replace(/0x[0-9a-f]+$/, ':id')]
    const body = route?.(url.searchParams, path)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: notRecorded }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    // The recordings are of the real world.
    worldName: 'real',
    hosts: hostUrls(url),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Of what was recorded more than once the last counts. */
const byKey = (rows: readonly Body[], key: string): Map<string, Body> =>
  new Map(rows.map((row) => [String(row[key]), row]))

/** Pages of 25, as they were recorded; a short answer and a missing cursor are the end. */
function keysetPage(field: 'markets' | 'events', rows: ReadonlyMap<string, Body>, query: URLSearchParams): unknown {
  const ids = query.getAll('condition_ids')
  const isClosed = query.get('closed') === 'true'
  const matching = [...rows.values()].filter(
    (row) => row['closed'] === isClosed && (ids.length === 0 || ids.includes(String(row['conditionId']))),
  )
  const from = Number(query.get('after_cursor') ?? 0)
  const next = from + 25 < matching.length ? { next_cursor: String(from + 25) } : {}
  return { [field]: matching.slice(from, from + 25), ...next }
}

function clobPage(rows: readonly Body[], query: URLSearchParams): unknown {
  const from = Number(query.get('next_cursor') ?? 0)
  const data = rows.slice(from, from + 100)
  return { data, next_cursor: from + 100 < rows.length ? String(from + 100) : 'LTE=', limit: 100, count: data.length }
}

/** A page of a user's or market's rows, newest first; undefined where nothing of them was recorded. */
function offsetPage(rows: readonly Body[], query: URLSearchParams): unknown {
  const user = query.get('user')
  const market = query.get('market')
  if (user === null && market === null) return undefined
  const own = rows.filter(
    (row) =>
      (user === null || row['proxyWallet'] === user.toLowerCase()) &&
      (market === null || row['conditionId'] === market),
  )
  const offset = Number(query.get('offset') ?? 0)
  return own.length === 0 ? undefined : own.slice(offset, offset + Number(query.get('limit') ?? 100))
}

/** The rows of exactly these markets; undefined unless each of them was recorded. */
const exactly = (rows: readonly Body[], ids: readonly string[]): unknown => {
  const found = rows.filter((row) => ids.includes(String(row['condition_id'])))
  return ids.length > 0 && new Set(found.map((row) => row['condition_id'])).size === ids.length
    ? { data: found }
    : undefined
}
