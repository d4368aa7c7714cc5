import type { Market, World } from '#sim/markets/types.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { standingOf } from '#sim/markets/wire/standing.ts'
import { iso } from '#sim/markets/wire/text.ts'
import { json, param, type Ask, type Instant, type Reply } from '#sim/server/reply.ts'

const pageSize = 1000
/** The cursor of the end. */
const theEnd = 'LTE='

/** The order book's host: every market of all time, with its winner. */
export function createClob(world: World, indexes: Indexes): (ask: Ask, at: Instant) => Reply {
  return ({ path, query }, at) => {
    if (path === '/markets') return page(param(query, 'next_cursor') ?? '', at)
    const id = /^\/markets\/(0x[0-9a-fA-F]{62,64})$/.exec(path)?.[1]?.toLowerCase()
    const market = world.markets[indexes.marketByCondition.get(id ?? '') ?? -1]
    if (market === undefined || market.createdAt_s > at.now_s)
      return { status: 404, body: '{"error":"market not found"}' }
    return json(describe(market, at))
  }

  function page(cursor: string, at: Instant): Reply {
    const from = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64').toString())
    if (!Number.isInteger(from) || (from < 0 && cursor !== theEnd))
      return { status: 400, body: '{"error":"next item should be greater than or equal to 0"}' }
    const listed = cursor === theEnd ? [] : world.markets.filter((market) => market.createdAt_s <= at.now_s)
    const data = listed.slice(from, from + pageSize).map((market) => describe(market, at))
    const next = from + pageSize
    const next_cursor = next < listed.length ? Buffer.from(String(next)).toString('base64') : theEnd
    return json({ data, next_cursor, limit: pageSize, count: data.length })
  }

  function describe(market: Market, { now_s }: Instant): object {
    const event = world.events[market.event]
    const isResolved = standingOf(market, now_s) === 'resolved'
    const isPaused = now_s >= (market.pausedAt_s ?? Infinity) && now_s < (market.resumedAt_s ?? 0)
    const isClosed = now_s >= market.closedAt_s
    const { mid } = bookOf(world, indexes, market, now_s)
    const prices = mid === null ? [0.5, 0.5] : [mid / 1e6, (1_000_000 - mid) / 1e6]
    const image = `https://simulated.invalid/images/${market.slug}.png`
    return {
      enable_order_book: !isClosed,
      active: true,
      closed: isClosed,
      archived: false,
      accepting_orders: !isClosed && !isPaused,
      accepting_order_timestamp: market.kind === 'legacy' ? null : iso(market.createdAt_s),
      minimum_order_size: 5,
      minimum_tick_size: market.tick / 1e6,
      condition_id: market.conditionId,
      question_id: market.questionId,
      question: market.question,
      description: `A simulated market: ${market.question}`,
      market_slug: market.slug,
      end_date_iso: iso(market.endsAt_s),
      game_start_time: event?.startsBy === 'gameStartTime' && event.startsAt_s !== null ? iso(event.startsAt_s) : null,
      seconds_delay: 0,
      fpmm: '',
      maker_base_fee: 0,
      taker_base_fee: market.feeRate > 0 ? 1000 : 0,
      notifications_enabled: true,
      neg_risk: market.negRiskIndex >= 0,
      neg_risk_market_id: event?.negRiskId ?? '',
      neg_risk_request_id: '',
      icon: image,
      image,
      rewards: { rates: null, min_size: 20, max_spread: 3.5 },
      is_50_50_outcome: isResolved && market.payouts?.[0] === 500_000,
      tokens: market.tokenIds.map((token_id, outcome) => ({
        token_id,
        outcome: market.labels[outcome],
        price: prices[outcome],
        winner: isResolved && market.payouts?.[outcome] === 1_000_000,
      })),
      tags: event?.tags ?? [],
    }
  }
}
