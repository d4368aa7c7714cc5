import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { hostUrls } from '#sim/markets/kalshi_wire/hosts.ts'

import { isCombo, recordedMarkets, recordedRows, type Body } from './rows.ts'

/** The states of rows that a filter selects. */
const filters: Record<string, string[]> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed', 'amended'],
  settled: ['finalized'],
}

/** Nothing was recorded of the archive: the cutoff of these answers is before all rows. */
const cutoff = { market_settled_ts: '2021-06-28T00:00:00Z', trades_created_ts: '2021-06-28T00:00:00Z' }

/**
 * Serves the recorded rows of Kalshi at the venue's routes, on 127.0.0.1: `/markets`, `/markets/trades` and `/series`,
 * with the filters and the cursors that the sources use. A request without a recording gets a 404.
 */
export async function serveKalshiRecordings(): Promise<SimulatedWorld & { close: () => Promise<void> }> {
  const markets = [...recordedMarkets().values()]
  const trades = recordedRows('trade')
  const series = recordedRows('series')
  const routes: Record<string, (query: URLSearchParams) => unknown> = {
    '/markets': (query) => pageOf('markets', markets.filter(marketFilter(query)), query),
    '/markets/trades': (query) => {
      const isWithin = within(query, 'min_ts', 'max_ts')
      return pageOf(
        'trades',
        trades.filter((row) => isWithin(row['created_time'])),
        query,
      )
    },
    '/series': () => ({ series }),
    '/historical/cutoff': () => cutoff,
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const body = routes[url.pathname.replace('/kalshi', '')]?.(url.searchParams)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'not recorded' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // The recordings are of the real world.
    worldName: 'real',
    hosts: hostUrls(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function marketFilter(query: URLSearchParams): (row: Body) => boolean {
  const states = filters[query.get('status') ?? '']
  const isWithin = within(query, 'min_settled_ts', 'max_settled_ts')
  return (row) =>
    (states === undefined || states.includes(String(row['status']))) &&
    (query.get('mve_filter') !== 'exclude' || !isCombo(row)) &&
    (!query.has('min_settled_ts') || isWithin(row['settlement_ts']))
}

const within = (query: URLSearchParams, min: string, max: string) => (instant: unknown) => {
  const at_s = Date.parse(String(instant)) / 1000
  return at_s >= Number(query.get(min) ?? 0) && at_s <= Number(query.get(max) ?? Infinity)
}

/** Small pages, so that cursors are followed. */
function pageOf(field: string, rows: readonly Body[], query: URLSearchParams): unknown {
  const from = Number(query.get('cursor') ?? 0)
  return { [field]: rows.slice(from, from + 20), cursor: from + 20 < rows.length ? String(from + 20) : '' }
}
