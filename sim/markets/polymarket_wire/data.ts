import type { World } from '#sim/markets/types.ts'
import { paddedId, type Indexes } from '#sim/markets/wire/indexes.ts'
import { readCursor, readPage, writeCursor, type Walk } from '#sim/markets/wire/pages.ts'
import { iso } from '#sim/markets/wire/text.ts'
import { hexText } from '#sim/random.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { param, type Ask, type Instant, type Reply } from '#sim/server/reply.ts'

import { BadParameter, conditionsOf, floorOf, limitOf, typesOf, userOf, windowOf } from './parameters.ts'
import { resolutionRow } from './resolutions.ts'
import { createRowWriter, type RowWriter } from './rows.ts'

/** The inputs of the feeds. */
type Desk = { world: World; indexes: Indexes; spoil: Spoil; rows: RowWriter; everyFill: Int32Array }

const maxLimit = 1000

/** The Data API, version 2. */
export function createData(world: World, indexes: Indexes, spoil: Spoil): (ask: Ask, at: Instant) => Reply {
  const rows = createRowWriter(world, indexes, 'v2', spoil)
  const everyFill = Int32Array.from({ length: world.fills.length }, (_, fill) => fill)
  const desk: Desk = { world, indexes, spoil, rows, everyFill }
  const routes: Record<string, (desk: Desk, query: URLSearchParams, at: Instant) => Reply> = {
    '/v2/trades': trades,
    '/v2/activity': activity,
    '/v2/resolutions': resolutions,
    '/v2/status': freshness,
  }
  return ({ path, query }, at) => {
    const route = routes[path]
    if (route === undefined) return refuse(404, 'not_found', `no route ${path}`)
    try {
      if (query.has('offset')) throw new BadParameter('offset', 'offset is not supported: page with cursor')
      return route(desk, query, at)
    } catch (error) {
      if (error instanceof BadParameter) return refuse(400, 'invalid_request', error.message, error.parameter)
      throw error
    }
  }
}

function trades(desk: Desk, query: URLSearchParams, at: Instant): Reply {
  const { fills } = desk.world
  const side = param(query, 'side')?.toUpperCase()
  const takerOnly = param(query, 'taker_only', 'takerOnly') !== 'false'
  const { isShares, least } = floorOf(query)
  const worth = isShares ? fills.size : fills.cash
  const isWanted = (fill: number) =>
    (!takerOnly || fills.isTaker[fill] === 1) &&
    (worth[fill] ?? 0) >= least &&
    (side === undefined || side === (fills.side[fill] === 0 ? 'BUY' : 'SELL'))
  const limit = Math.min(maxLimit, limitOf(query))
  const shape = shapeOf(desk, query, at, takerOnly)
  return walk(desk, 'trades', query, at, { ...shape, limit, isAscending: false, isWanted }, desk.rows.trade)
}

/**
 * The rows of a query: a user's trades in a window, all trades of some markets, or all trades since the last month
 * began.
 */
function shapeOf(
  { world, indexes, everyFill }: Desk,
  query: URLSearchParams,
  at: Instant,
  takerOnly: boolean,
): Pick<Walk, 'list' | 'from_s' | 'to_s'> {
  if (query.has('event_id')) throw new BadParameter('event_id', 'event_id is not simulated: name conditions')
  const conditions = conditionsOf(query)
  if (query.has('user')) {
    const trader = indexes.traderByWallet.get(userOf(query)) ?? world.traders.length
    return { list: indexes.ofTrader[trader] ?? [], ...windowOf(query, at) }
  }
  if (conditions.length === 0) return { list: everyFill, from_s: previousMonth(at.now_s), to_s: at.seen_s }
  const rows = takerOnly ? indexes.takersOfMarket : indexes.ofMarket
  const lists = conditions.flatMap((id) => rows[indexes.marketByCondition.get(id) ?? world.markets.length] ?? [])
  const [only] = lists
  const list =
    lists.length === 1 && only !== undefined
      ? only
      : Int32Array.from(lists.flatMap((marketRows) => [...marketRows])).toSorted()
  return { list, from_s: 0, to_s: at.seen_s }
}

function activity(desk: Desk, query: URLSearchParams, at: Instant): Reply {
  const { world, indexes } = desk
  const trader = indexes.traderByWallet.get(userOf(query)) ?? world.traders.length
  const limit = limitOf(query)
  if (limit > maxLimit) throw new BadParameter('limit', `limit must be at most ${maxLimit}`)
  const conditions = new Set(conditionsOf(query))
  const types = typesOf(query)
  const hidesCash = param(query, 'exclude_deposits_withdrawals', 'excludeDepositsWithdrawals') !== 'false'
  const isWanted = (row: number) => {
    const { type, market } = indexes.describe(row)
    if (hidesCash && (type === 'DEPOSIT' || type === 'WITHDRAWAL')) return false
    if (types.size > 0 && !types.has(type)) return false
    return conditions.size === 0 || conditions.has(paddedId(world.markets[market]?.conditionId ?? ''))
  }
  const isAscending = param(query, 'sort_direction', 'sortDirection')?.toUpperCase() === 'ASC'
  const asked = { list: indexes.activityOf(trader), ...windowOf(query, at), limit, isAscending, isWanted }
  return walk(desk, 'activity', query, at, asked, desk.rows.activity)
}

function walk(
  { world, indexes }: Desk,
  type: string,
  query: URLSearchParams,
  at: Instant,
  asked: Omit<Walk, 'tsOf' | 'after'>,
  write: (row: number, now_s: number) => string,
): Reply {
  const text = param(query, 'cursor', 'next_cursor')
  const after = text === undefined ? undefined : readCursor(world.seed, type, text)
  if (text !== undefined && after === undefined) throw new BadParameter('cursor', 'cursor is not one of this feed')
  // The direction of a cursor stays the same.
  const isAscending = after?.isAscending ?? asked.isAscending
  const page = readPage({ ...asked, isAscending, after, tsOf: indexes.tsOf })
  const next = page.next === null ? 'null' : `"${writeCursor(world.seed, type, page.next)}"`
  const data = page.rows.map((row) => write(row, at.now_s)).join(',')
  const pagination = `{"limit":${asked.limit},"offset":0,"has_more":${page.next !== null},"next_cursor":${next}}`
  return { status: 200, body: `{"data":[${data}],"pagination":${pagination}}` }
}

function resolutions({ world, indexes, spoil }: Desk, query: URLSearchParams, at: Instant): Reply {
  const conditions = conditionsOf(query)
  if (conditions.length === 0) {
    throw new BadParameter('condition', 'exactly one of question_id, condition, event_id is required')
  }
  const data = conditions.flatMap((id) => {
    const market = world.markets[indexes.marketByCondition.get(id) ?? -1]
    const row = market === undefined ? undefined : resolutionRow(world, market, at.seen_s)
    return market === undefined || row === undefined ? [] : spoil('resolutions', market.index, JSON.stringify(row))
  })
  return { status: 200, body: `{"data":[${data.join(',')}]}` }
}

/** The lag of the feeds behind the chain. */
function freshness(_desk: Desk, _query: URLSearchParams, at: Instant): Reply {
  const lag_seconds = at.now_s - at.seen_s
  const block = 93_000_000 + Math.floor((at.seen_s - 1_788_000_000) / 2)
  const feed = { name: 'activity_feed', age_seconds: lag_seconds }
  const pnl = { name: 'pnl', age_seconds: lag_seconds, blocks_behind: 1 }
  const chain = { cursors: 2, network: 'polygon', chain_id: 137, max_synced_block: block, min_synced_block: block - 1 }
  const data = {
    computed_at: iso(at.now_s),
    age_seconds: 0,
    serving: { lag_seconds, worst: 'activity_feed', mechanisms: [feed, pnl] },
    ingestion: { ...chain, lagging: [] },
  }
  return { status: 200, body: JSON.stringify({ data }) }
}

function refuse(status: number, code: string, error: string, parameter?: string): Reply {
  const trace_id = hexText(error.length, 98, status, 32)
  const about = parameter === undefined ? {} : { parameter }
  return { status, body: JSON.stringify({ error, code, retryable: false, trace_id, ...about }) }
}

/** The unfiltered feed holds the current and the previous month. */
function previousMonth(now_s: number): number {
  const now = new Date(now_s * 1000)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1) / 1000
}
