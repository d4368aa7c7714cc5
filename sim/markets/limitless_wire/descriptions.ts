import type { Event, Market, World } from '#sim/markets/types.ts'
import type { Book } from '#sim/markets/wire/book.ts'
import { standingOf } from '#sim/markets/wire/standing.ts'

import { isMade } from './exposed_world.ts'

const usd = 1_000_000
const dollar = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6, symbol: 'USDC' }
const creator = { address: null, imageURI: null, link: 'https://simulated.invalid', name: 'Simulated' }

export const instant = (at_s: number): string => new Date(at_s * 1000).toISOString()

const dates = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })

/** `Jun 21, 2026`, for display only. */
export const displayedDate = (at_s: number): string => dates.format(at_s * 1000)

type State = { book: Book; volume: number; now_s: number }

/** A market as the list and its own route describe it. */
export function describeMarket(world: World, market: Market, state: State): object {
  const event = world.events[market.event]
  const startsAt_s = event?.startsAt_s ?? null
  const { now_s, volume } = state
  return {
    id: 100_000 + market.index,
    slug: market.slug,
    title: market.groupItemTitle === '' ? market.question : market.groupItemTitle,
    proxyTitle: null,
    description: `<p>${market.question}</p>`,
    conditionId: market.conditionId,
    negRiskRequestId: null,
    groupId: market.kind === 'neg_risk' ? market.event : null,
    ...(isMade(market)
      ? { address: `0x${market.conditionId.slice(2, 42)}`, tokens: null }
      : { tokens: { yes: market.tokenIds[0], no: market.tokenIds[1] } }),
    collateralToken: dollar,
    creator,
    automationType: 'manual',
    marketType: 'single',
    tradeType: isMade(market) ? 'amm' : 'clob',
    venue: { adapter: null, exchange: '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5' },
    createdAt: instant(market.createdAt_s),
    updatedAt: instant(updatedAt_s(market, now_s)),
    startAt: startsAt_s === null ? null : instant(startsAt_s),
    expirationDate: displayedDate(market.endsAt_s),
    expirationTimestamp: market.endsAt_s * 1000,
    expired: now_s >= market.closedAt_s,
    ...standing(market, now_s),
    ...(isMade(market) ? madePrices(state.book) : prices(market, state.book)),
    volume: String(volume),
    volumeFormatted: (volume / usd).toFixed(6),
    categories: event === undefined ? [] : [event.category],
    tags: event?.tags ?? [],
    hidden: false,
    isOther: false,
    isRewardable: market.index % 3 === 0,
    priorityIndex: 10,
    metadata: { fee: market.feeRate > 0, shouldMarketMake: true, openPrice: null },
    settings: { minSize: '100000000', maxSpread: 0.035, takerDelayMs: 0 },
    priceOracleMetadata: null,
    stableSlug: null,
    imageUrl: null,
    logo: null,
  }
}

/** A group of markets; these are nested in it. */
export const describeGroup = (event: Event): object => ({
  id: 200_000 + event.index,
  slug: event.slug,
  title: event.title,
  marketType: 'group',
  tradeType: 'group',
  negRiskMarketId: event.negRiskId === '' ? null : event.negRiskId,
  collateralToken: dollar,
  createdAt: instant(event.createdAt_s),
  categories: [event.category],
  tags: event.tags,
  status: 'FUNDED',
})

/**
 * The state of a market. Before its resolution an expired market is sometimes called closed and sometimes still funded.
 * A void market has no winner.
 */
function standing(market: Market, now_s: number): { status: string; winningOutcomeIndex: number | null } {
  if (standingOf(market, now_s) === 'resolved' && market.result !== 'none') {
    const winningOutcomeIndex = market.result === 'first' ? 0 : market.result === 'second' ? 1 : null
    return { status: 'RESOLVED', winningOutcomeIndex }
  }
  const isPaused =
    market.pausedAt_s !== null && now_s >= market.pausedAt_s && now_s < (market.resumedAt_s ?? market.closedAt_s)
  const open = isPaused ? 'LOCKED' : 'FUNDED'
  const status = now_s >= market.closedAt_s && market.index % 2 === 0 ? 'CLOSED' : open
  return { status, winningOutcomeIndex: null }
}

const updatedAt_s = (market: Market, now_s: number): number => {
  const changes = [market.pausedAt_s, market.resumedAt_s, market.closedAt_s, market.resolvedAt_s]
  return Math.max(market.createdAt_s, ...changes.filter((at_s) => at_s !== null && at_s <= now_s).map(Number))
}

/**
 * The prices of YES and NO: the middle of the book, and the prices of an order. An empty side is the end of the grid.
 * Every ninth market has prices from 0 to 100.
 */
function prices(market: Market, { bid, ask }: Book): object {
  const scale = market.index % 9 === 4 ? usd / 100 : usd
  const [low, high] = [bid ?? 1_000, ask ?? usd - 1_000]
  const both = (yes: number, no: number) => [yes / scale, no / scale]
  const mid = (low + high) / 2
  const [sold, bought] = [both(low, usd - high), both(high, usd - low)]
  return {
    prices: both(mid, usd - mid),
    tradePrices: { buy: { market: bought, limit: sold }, sell: { market: sold, limit: bought } },
  }
}

/** The maker has prices from 0 to 100 and no order book. */
function madePrices({ bid, ask }: Book): object {
  const yes = ((bid ?? 0) + (ask ?? usd)) / 2
  return { prices: [yes / 10_000, (usd - yes) / 10_000] }
}
