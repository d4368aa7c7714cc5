import type { Market, World } from '#sim/markets/types.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { list, whole, type Instant, type Reply } from '#sim/server/reply.ts'

import { statusOf, type createMarketRows } from './market_rows.ts'
import { comboTicker, eventTicker, marketTicker } from './tickers.ts'

/** An invalid parameter: the host answers 400. */
export class BadRequest extends Error {}

export type MarketLists = { world: World; rows: ReturnType<typeof createMarketRows>; spoil: Spoil }

/** The names of the filter `status`, and the states of rows that they select. */
const filters: Record<string, readonly string[]> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed'],
  settled: ['finalized'],
}
const largest = 1000

/** The limit of a page. A larger one than 1,000 is an error. */
export function limitOf(query: URLSearchParams): number {
  const limit = whole(query.get('limit') ?? undefined) ?? 100
  if (Number.isNaN(limit) || limit < 1 || limit > largest) throw new BadRequest('invalid limit')
  return limit
}

/** The position in a list after which a cursor continues. Cursors do not contain the filters. */
export function placeOf(query: URLSearchParams, kind: string): number | undefined {
  const cursor = query.get('cursor') ?? ''
  if (cursor === '') return undefined
  const [name, place = ''] = Buffer.from(cursor, 'base64url').toString().split(':')
  if (name !== kind || !/^\d+$/.test(place)) throw new BadRequest('invalid cursor')
  return Number(place)
}

export const cursorOf = (kind: string, place: number): string => Buffer.from(`${kind}:${place}`).toString('base64url')

/** The live markets, or those of the archive, which ignores filters by time and state. */
export function listMarkets(
  { world, rows, spoil }: MarketLists,
  query: URLSearchParams,
  { at: { now_s }, isArchive, cutoff_s }: { at: Instant; isArchive: boolean; cutoff_s: number },
): Reply {
  const isWanted = wanted(world, query, now_s, isArchive)
  const limit = limitOf(query)
  const kind = isArchive ? 'archive' : 'markets'
  const after = placeOf(query, kind) ?? -1
  const isArchived = (market: Market) => statusOf(market, now_s) === 'finalized' && market.resolvedAt_s < cutoff_s
  const matching = rows.listed.filter(
    (market) =>
      market.index > after && market.createdAt_s <= now_s && isArchived(market) === isArchive && isWanted(market),
  )
  const page = matching.slice(0, limit).map((market) => {
    const isSettled = statusOf(market, now_s) === 'finalized'
    return spoil(isSettled ? 'resolutions' : 'markets', market.index, JSON.stringify(rows.row(market, now_s)))
  })
  const last = matching[limit - 1]
  const cursor = matching.length > limit && last !== undefined ? cursorOf(kind, last.index) : ''
  const withCombos = cursor === '' && !isArchive && query.get('mve_filter') !== 'exclude' && !query.has('tickers')
  const combos = withCombos && query.get('status') === 'open' ? world.combos.map(comboRow) : []
  return { status: 200, body: `{"cursor":"${cursor}","markets":[${[...page, ...combos].join(',')}]}` }
}

function wanted(world: World, query: URLSearchParams, now_s: number, isArchive: boolean): (market: Market) => boolean {
  const status = query.get('status')
  const states = status === null ? undefined : filters[status]
  // The states of rows, such as `finalized`, are no filters.
  if (status !== null && states === undefined && !isArchive) throw new BadRequest('invalid status filter')
  const tickers = new Set(list(query, 'tickers'))
  const series = query.get('series_ticker')
  const min_s = isArchive ? undefined : whole(query.get('min_settled_ts') ?? undefined)
  const max_s = isArchive ? undefined : whole(query.get('max_settled_ts') ?? undefined)
  if (Number.isNaN(min_s) || Number.isNaN(max_s)) throw new BadRequest('invalid timestamp')
  if ((min_s !== undefined || max_s !== undefined) && status !== 'settled')
    throw new BadRequest('invalid status filter')
  return (market) => {
    const event = world.events[market.event]
    return (
      (isArchive || states === undefined || states.includes(statusOf(market, now_s))) &&
      (tickers.size === 0 || tickers.has(marketTicker(world, market))) &&
      (series === null || (event !== undefined && eventTicker(event).startsWith(`${series}-`))) &&
      (min_s === undefined || market.resolvedAt_s >= min_s) &&
      (max_s === undefined || market.resolvedAt_s <= max_s)
    )
  }
}

/** A combination, of which the venue has very many. It is on another shard. */
const comboRow = ({ match }: World['combos'][number]): string =>
  JSON.stringify({
    ticker: comboTicker(match),
    event_ticker: comboTicker(match).replace(/-A$/, ''),
    market_type: 'binary',
    title: 'yes first,yes second',
    status: 'active',
    exchange_index: 1,
    mve_collection_ticker: 'KXMVECROSSCATEGORY-R',
    mve_selected_legs: [],
    yes_bid_dollars: '0.0000',
    yes_ask_dollars: '0.0000',
    last_price_dollars: '0.0000',
  })
