import type { Event, Market, World } from '#sim/markets/types.ts'
import { bookOf } from '#sim/markets/wire/book.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import type { Spoil } from '#sim/server/faults.ts'
import { json, type Instant, type Reply } from '#sim/server/reply.ts'

import { describeGroup, describeMarket } from './descriptions.ts'
import { pageOf, positive, Rejected } from './parameters.ts'

/** The largest page of the active list; a larger limit is reduced silently. */
const maxPage = 25

/** The routes of markets: the active list, and a market or group by its slug. */
export function createMarkets(world: World, indexes: Indexes, spoil: Spoil) {
  const shown = world.markets.filter(({ kind }) => kind !== 'legacy')
  const bySlug = new Map(shown.map((market) => [market.slug, market]))
  const groups = world.events.filter((event) => isGroup(world, event))
  const groupBySlug = new Map(groups.map((event) => [event.slug, event]))
  const singles = shown.filter((market) => !groupBySlug.has(world.events[market.event]?.slug ?? ''))

  const marketText = (market: Market, now_s: number): string =>
    spoil(
      'markets',
      market.index,
      JSON.stringify(
        describeMarket(world, market, {
          book: bookOf(world, indexes, market, now_s),
          volume: indexes.volumeUntil(market.index, now_s),
          now_s,
        }),
      ),
    )
  const groupText = (event: Event, now_s: number): string => {
    const nested = marketsOf(event, now_s).map((market) => marketText(market, now_s))
    const text = JSON.stringify(describeGroup(event))
    return `${text.slice(0, -1)},"markets":[${nested.join(',')}]}`
  }
  const marketsOf = (event: Event, now_s: number): Market[] =>
    event.markets.flatMap((index) => world.markets[index] ?? []).filter((market) => market.createdAt_s <= now_s)

  return {
    bySlug,
    /** `/markets/active`: open markets and groups, in pages. */
    active(query: URLSearchParams, { now_s }: Instant): Reply {
      const limit = Math.min(maxPage, positive(query, 'limit', 10))
      const rows = [
        ...groups.filter((event) => marketsOf(event, now_s).some((market) => isActive(market, now_s))),
        ...singles.filter((market) => isActive(market, now_s)),
      ]
      const from = (pageOf(query) - 1) * limit
      const page = rows
        .slice(from, from + limit)
        .map((row) => ('question' in row ? marketText(row, now_s) : groupText(row, now_s)))
      return { status: 200, body: `{"data":[${page.join(',')}],"totalMarketsCount":${rows.length}}` }
    },
    slugs: ({ now_s }: Instant): Reply =>
      json(
        shown
          .filter((market) => isActive(market, now_s))
          .map(({ slug, endsAt_s }) => ({ slug, deadline: endsAt_s * 1000 })),
      ),
    /** `/markets/<slug>`: a market or group in any state. */
    described(slug: string, { now_s }: Instant): Reply {
      const event = groupBySlug.get(slug)
      if (event !== undefined && event.createdAt_s <= now_s) return { status: 200, body: groupText(event, now_s) }
      const market = bySlug.get(slug)
      if (market === undefined || market.createdAt_s > now_s) throw new Rejected(404, `Market ${slug} not found`)
      return { status: 200, body: marketText(market, now_s) }
    },
  }
}

const isActive = ({ createdAt_s, closedAt_s }: Market, now_s: number): boolean =>
  createdAt_s <= now_s && now_s < closedAt_s

/** The questions of a neg-risk event are nested. */
const isGroup = (world: World, { markets }: Event): boolean =>
  markets.length > 1 && markets.every((index) => world.markets[index]?.kind === 'neg_risk')
