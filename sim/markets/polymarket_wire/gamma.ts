import type { Market, World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { json, list, param, whole, type Ask, type Instant, type Reply } from '#sim/server/reply.ts'

import { createDescriber } from './descriptions.ts'

/** The largest page; larger limits are reduced silently. */
const maxLimit = 100

/** Gamma: descriptions of markets and events. */
export function createGamma(world: World, indexes: Indexes, spoil: Spoil): (ask: Ask, at: Instant) => Reply {
  const describe = createDescriber(world, indexes)

  return ({ path, query }, at) => {
    if (path === '/markets/keyset') return markets(query, at)
    if (path === '/events/keyset') return events(query, at)
    const id = /^\/markets\/(\d+)$/.exec(path)?.[1]
    const market = id === undefined ? undefined : world.markets.find((candidate) => candidate.id === id)
    if (market === undefined || market.createdAt_s > at.now_s)
      return refuse(404, 'not found error', `not found ${path}`)
    return json({ ...describe.market(market, at), $schema: '/schemas/Market.json' })
  }

  function markets(query: URLSearchParams, at: Instant): Reply {
    const conditions = new Set(list(query, 'condition_ids', 'conditionIds'))
    const tokens = new Set(list(query, 'clob_token_ids', 'clobTokenIds'))
    const ids = new Set(list(query, 'id'))
    const isClosed = param(query, 'closed') === 'true'
    const isWanted = (market: Market) =>
      market.createdAt_s <= at.now_s &&
      at.now_s >= market.closedAt_s === isClosed &&
      (ids.size === 0 || ids.has(market.id)) &&
      (conditions.size === 0 || conditions.has(market.conditionId)) &&
      (tokens.size === 0 || market.tokenIds.some((token) => tokens.has(token)))
    return walk('markets', query, world.markets, isWanted, (market) =>
      spoil('markets', market.index, JSON.stringify(describe.market(market, at))),
    )
  }

  function events(query: URLSearchParams, at: Instant): Reply {
    const ids = new Set(list(query, 'id'))
    const isClosed = param(query, 'closed') === 'true'
    const isWanted = (event: World['events'][number]) =>
      event.createdAt_s <= at.now_s &&
      event.markets.every((market) => at.now_s >= (world.markets[market]?.closedAt_s ?? 0)) === isClosed &&
      (ids.size === 0 || ids.has(event.id))
    return walk('events', query, world.events, isWanted, (event) => JSON.stringify(describe.event(event, at)))
  }
}

/** A page of a list that is ordered by id. The last page has no cursor. */
function walk<T extends { index: number }>(
  name: string,
  query: URLSearchParams,
  all: T[],
  isWanted: (item: T) => boolean,
  write: (item: T) => string,
): Reply {
  if (query.has('offset')) return refuse(422, 'validation error', 'offset is not supported: page with after_cursor')
  const limit = whole(param(query, 'limit')) ?? 20
  if (Number.isNaN(limit) || limit < 1) return refuse(422, 'validation error', 'limit must be a positive whole number')
  const cursor = param(query, 'after_cursor')
  const after = cursor === undefined ? -1 : Number(Buffer.from(cursor, 'base64url').toString().split(':')[1])
  if (!Number.isInteger(after)) return refuse(422, 'validation error', 'after_cursor is invalid')

  const size = Math.min(maxLimit, limit)
  const matching: T[] = []
  for (let i = after + 1; i < all.length && matching.length <= size; i++) {
    const item = all[i]
    if (item !== undefined && isWanted(item)) matching.push(item)
  }
  const page = matching.slice(0, size)
  const last = page[page.length - 1]
  const place = last === undefined ? '' : Buffer.from(`after:${last.index}`).toString('base64url')
  const next = matching.length > size ? `,"next_cursor":"${place}"` : ''
  return { status: 200, body: `{"${name}":[${page.map(write).join(',')}]${next}}` }
}

const refuse = (status: number, type: string, error: string): Reply => ({
  status,
  body: JSON.stringify({ type, error }),
})
