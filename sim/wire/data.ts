import { hexText } from '#sim/random.ts'
import { systemAddresses, type World } from '#sim/types.ts'

import { readCursor, readPage, writeCursor, type Walk } from './pages.ts'
import { list, param, whole, type Ask, type Instant, type Reply } from './reply.ts'
import { resolutionRow } from './resolutions.ts'
import { createRowWriter } from './rows.ts'
import type { Shelves } from './shelves.ts'
import { iso } from './text.ts'

const maxLimit = 1000
const maxConditions = 20
const feedTypes = [
  'TRADE', 'SPLIT', 'MERGE', 'REDEEM', 'CONVERSION', 'MIGRATION', 'REWARD', 'YIELD', 'MAKER_REBATE', 'TAKER_REBATE',
  'REFERRAL_REWARD', 'DEPOSIT', 'WITHDRAWAL', 'TIP',
] // prettier-ignore

type Asked = Omit<Walk, 'limit' | 'after' | 'tsOf'>

/** The Data API, version 2. Bad requests are thrown as replies. */
export function createData(world: World, shelves: Shelves): (ask: Ask, at: Instant) => Reply {
  const { fills, seed } = world
  const rows = createRowWriter(world, shelves, 'v2')
  const all = Int32Array.from({ length: fills.length }, (_, fill) => fill)

  return ({ path, query }, at) => {
    const feed = { '/v2/trades': trades, '/v2/activity': activity, '/v2/resolutions': resolutions }[path]
    if (path === '/v2/status') return status(at)
    if (feed === undefined) return refuse(404, 'not_found', `no route ${path}`)
    if (query.has('offset'))
      return refuse(400, 'invalid_request', 'offset is not supported: page with cursor', 'offset')
    try {
      return feed(query, at)
    } catch (error) {
      if (error instanceof BadParameter) return refuse(400, 'invalid_request', error.message, error.parameter)
      throw error
    }
  }

  function trades(query: URLSearchParams, at: Instant): Reply {
    const limit = Math.min(maxLimit, limitOf(query))
    const side = param(query, 'side')?.toUpperCase()
    const takerOnly = param(query, 'taker_only', 'takerOnly') !== 'false'
    const isWanted = (fill: number) =>
      (!takerOnly || fills.isTaker[fill] === 1) &&
      (side === undefined || (fills.side[fill] === 0 ? 'BUY' : 'SELL') === side)
    return walk('trades', query, limit, rows.trade, at, {
      ...shapeOf(query, at, takerOnly),
      isAscending: false,
      isWanted,
    })
  }

  /** Whose trades: a user's in a window, some markets' of all time, or everybody's since the last month began. */
  function shapeOf(query: URLSearchParams, at: Instant, takerOnly: boolean): Pick<Asked, 'list' | 'from_s' | 'to_s'> {
    const conditions = conditionsOf(query)
    const everything = { from_s: 0, to_s: at.seen_s }
    if (query.has('user')) return { list: shelves.ofTrader[traderOf(query)] ?? [], ...windowOf(query, at) }
    if (conditions.length === 0) return { list: all, from_s: previousMonth(at.now_s), to_s: at.seen_s }
    const shelf = takerOnly ? shelves.takersOfMarket : shelves.ofMarket
    const lists = conditions.map((id) => shelf[shelves.marketByCondition.get(id) ?? -1] ?? new Int32Array())
    const only = lists[0]
    if (lists.length === 1 && only !== undefined) return { list: only, ...everything }
    return { list: Int32Array.from(lists.flatMap((one) => [...one])).sort(), ...everything }
  }

  function activity(query: URLSearchParams, at: Instant): Reply {
    if (!query.has('user')) throw new BadParameter('user', 'user is required')
    const limit = limitOf(query)
    if (limit > maxLimit) throw new BadParameter('limit', `limit must be at most ${maxLimit}`)
    const conditions = new Set(conditionsOf(query))
    const types = new Set(list(query, 'type').map((type) => type.toUpperCase()))
    for (const type of types) if (!feedTypes.includes(type)) throw new BadParameter('type', `unknown type ${type}`)
    const hidesCash = param(query, 'exclude_deposits_withdrawals', 'excludeDepositsWithdrawals') !== 'false'
    const isWanted = (row: number) => {
      const other = world.activity[row - fills.length]
      const type = row < fills.length ? 'TRADE' : (other?.kind ?? '')
      if (hidesCash && (type === 'DEPOSIT' || type === 'WITHDRAWAL')) return false
      if (types.size > 0 && !types.has(type)) return false
      const market = row < fills.length ? world.matches.market[fills.match[row] ?? 0] : other?.market
      return conditions.size === 0 || conditions.has(world.markets[market ?? -1]?.conditionId ?? '')
    }
    const isAscending = param(query, 'sort_direction', 'sortDirection')?.toUpperCase() === 'ASC'
    const own = shelves.activityOf(traderOf(query))
    return walk('activity', query, limit, rows.activity, at, {
      list: own,
      ...windowOf(query, at),
      isAscending,
      isWanted,
    })
  }

  function walk(
    type: string,
    query: URLSearchParams,
    limit: number,
    write: (row: number, now_s: number) => string,
    at: Instant,
    asked: Asked,
  ): Reply {
    const text = param(query, 'cursor', 'next_cursor')
    const after = text === undefined ? undefined : readCursor(seed, type, text)
    if (text !== undefined && after === undefined) throw new BadParameter('cursor', 'cursor is not one of this feed')
    // A walk keeps the direction that it was begun in.
    const isAscending = after?.isAscending ?? asked.isAscending
    const page = readPage({ ...asked, isAscending, limit, after, tsOf: shelves.tsOf })
    const next = page.next === null ? 'null' : `"${writeCursor(seed, type, page.next)}"`
    const data = page.rows.map((row) => write(row, at.now_s)).join(',')
    const pagination = `{"limit":${limit},"offset":0,"has_more":${page.next !== null},"next_cursor":${next}}`
    return { status: 200, body: `{"data":[${data}],"pagination":${pagination}}` }
  }

  function resolutions(query: URLSearchParams, at: Instant): Reply {
    const conditions = conditionsOf(query)
    if (conditions.length === 0)
      throw new BadParameter('condition', 'exactly one of question_id, condition, event_id is required')
    const data = conditions.flatMap((id) => {
      const market = world.markets[shelves.marketByCondition.get(id) ?? -1]
      return (market === undefined ? undefined : resolutionRow(world, market, at.seen_s)) ?? []
    })
    return { status: 200, body: JSON.stringify({ data }) }
  }

  /** -1 for someone who never came here. */
  function traderOf(query: URLSearchParams): number {
    const user = query.get('user')?.toLowerCase() ?? ''
    if (!/^0x[0-9a-f]{40}$/.test(user)) throw new BadParameter('user', 'user must be an address')
    if (systemAddresses.some((address) => address === user))
      throw new BadParameter('user', 'user is a protocol contract')
    return shelves.traderByWallet.get(user) ?? -1
  }

  function refuse(status: number, code: string, error: string, parameter?: string): Reply {
    const trace_id = hexText(seed, 98, error.length, 32)
    const retryable = status >= 500 || status === 429
    return {
      status,
      body: JSON.stringify({ error, code, retryable, trace_id, ...(parameter !== undefined && { parameter }) }),
    }
  }

  /** How far behind the chain the feeds are. */
  function status(at: Instant): Reply {
    const lag_seconds = at.now_s - at.seen_s
    const block = 93_000_000 + Math.floor((at.seen_s - 1_788_000_000) / 2)
    const mechanisms = [
      { name: 'activity_feed', age_seconds: lag_seconds },
      { name: 'pnl', age_seconds: lag_seconds, blocks_behind: 1 },
    ]
    const ingestion = {
      cursors: 2,
      network: 'polygon',
      chain_id: 137,
      max_synced_block: block,
      min_synced_block: block - 1,
      lagging: [],
    }
    const serving = { lag_seconds, worst: 'activity_feed', mechanisms }
    const data = { computed_at: iso(at.now_s), age_seconds: 0, serving, ingestion }
    return { status: 200, body: JSON.stringify({ data }) }
  }
}

class BadParameter extends Error {
  parameter: string
  constructor(parameter: string, message: string) {
    super(message)
    this.parameter = parameter
  }
}

function limitOf(query: URLSearchParams): number {
  const limit = whole(param(query, 'limit')) ?? 100
  if (Number.isNaN(limit) || limit < 1) throw new BadParameter('limit', 'limit must be a positive whole number')
  return limit
}

function windowOf(query: URLSearchParams, at: Instant): { from_s: number; to_s: number } {
  const start = whole(param(query, 'start'))
  const end = whole(param(query, 'end'))
  if (Number.isNaN(start)) throw new BadParameter('start', 'start must be epoch seconds')
  if (Number.isNaN(end)) throw new BadParameter('end', 'end must be epoch seconds')
  const threeYears_s = 3 * 365 * 86_400
  return {
    from_s: start === undefined || start === 0 ? at.now_s - threeYears_s : start,
    to_s: Math.min(at.seen_s, end === undefined || end === 0 ? at.seen_s : end),
  }
}

function conditionsOf(query: URLSearchParams): string[] {
  const conditions = [...new Set(list(query, 'condition', 'condition_id', 'conditionId').map((id) => id.toLowerCase()))]
  if (conditions.length > maxConditions) throw new BadParameter('condition', `at most ${maxConditions} conditions`)
  const odd = conditions.find((id) => !/^0x([0-9a-f]{64}|[0-9a-f]{62})$/.test(id))
  if (odd !== undefined) throw new BadParameter('condition', `${odd} is not a condition id`)
  return conditions
}

/** The bare feed holds the current month and the one before. */
function previousMonth(now_s: number): number {
  const now = new Date(now_s * 1000)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1) / 1000
}
