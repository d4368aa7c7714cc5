import type { World } from '#sim/markets/types.ts'
import { iso } from '#sim/markets/wire/text.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { json, type Ask, type Instant, type Reply } from '#sim/server/reply.ts'

import { BadRequest, listMarkets, type MarketLists } from './market_lists.ts'
import { createMarketRows, type Generation } from './market_rows.ts'
import { listTrades } from './trade_lists.ts'
import { tradesOf } from './trades.ts'

/** The path of the venue’s host, by the name that the sources use. */
export const hostUrls = (url: string) => ({ kalshi: `${url}/kalshi` })

/** The venue moves settled markets and trades to its archive after this time. */
const live_s = 45 * 86_400

/** The instant before which markets and trades are in the archive: the start of a UTC day. */
export const cutoffAt = (now_s: number): number => (Math.floor(now_s / 86_400) - live_s / 86_400) * 86_400

/** The venue’s one host. The older generation of its wire goes with the older data API of Polymarket. */
export function createHosts(
  world: World,
  generation: Generation,
  spoil: Spoil,
): Record<string, (ask: Ask, at: Instant) => Reply> {
  const trades = tradesOf(world)
  const rows = createMarketRows(world, trades, generation)
  const lists: MarketLists = { world, rows, spoil }
  const routes: Record<string, (query: URLSearchParams, at: Instant) => Reply> = {
    '/markets': (query, at) => listMarkets(lists, query, { at, isArchive: false, cutoff_s: cutoffAt(at.now_s) }),
    '/historical/markets': (query, at) =>
      listMarkets(lists, query, { at, isArchive: true, cutoff_s: cutoffAt(at.now_s) }),
    '/markets/trades': (query, at) =>
      listTrades({ trades, generation, spoil }, query, { from: cutoffAt(at.now_s) * 1e6, to: at.seen_s * 1e6 }),
    '/historical/trades': (query, at) =>
      listTrades({ trades, generation, spoil }, query, { from: 0, to: cutoffAt(at.now_s) * 1e6 }),
    '/historical/cutoff': (_, at) => {
      const cutoff = iso(cutoffAt(at.now_s))
      return json({ market_settled_ts: cutoff, trades_created_ts: cutoff, orders_updated_ts: cutoff })
    },
    '/series': () => json({ series: seriesOf(world, rows) }),
  }
  return {
    kalshi: ({ path, query }, at) => {
      try {
        return routes[path]?.(query, at) ?? refuse(404, 'not_found', `no route ${path}`)
      } catch (error) {
        if (error instanceof BadRequest) return refuse(400, 'bad_request', error.message)
        throw error
      }
    },
  }
}

const refuse = (status: number, code: string, details: string): Reply => ({
  status,
  body: JSON.stringify({ error: { code, message: code.replace('_', ' '), details } }),
})

function seriesOf(world: World, { listed, seriesOf: tickerOf }: MarketLists['rows']): object[] {
  const seriesByTicker = new Map<string, object>()
  for (const market of listed) {
    const event = world.events[market.event]
    const ticker = tickerOf(market)
    const terms = { fee_type: 'quadratic', fee_multiplier: seriesByTicker.size % 3 === 2 ? 0.5 : 1, frequency: 'daily' }
    if (event !== undefined && !seriesByTicker.has(ticker))
      seriesByTicker.set(ticker, { ticker, title: event.category, category: event.category, tags: null, ...terms })
  }
  return [...seriesByTicker.values()]
}
