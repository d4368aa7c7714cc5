import { day_s } from '#sim/markets/event_templates.ts'
import type { Event, Market, World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { iso } from '#sim/markets/wire/text.ts'
import type { Instant } from '#sim/server/reply.ts'

import { fees, oracle, prices, start, tokens, volumes } from './market_parts.ts'
import { spaced, textList } from './text.ts'

const host = 'https://simulated.invalid'

export type Describer = {
  market: (market: Market, at: Instant) => object
  event: (event: Event, at: Instant) => object
}

/** Markets and events as gamma describes them at an instant. */
export function createDescriber(world: World, indexes: Indexes): Describer {
  return {
    market: (market, { now_s }) => {
      const event = eventOf(world, market)
      const parent = describeEvent(event, marketsOf(world, event), indexes, now_s)
      return { ...describeMarket(world, indexes, market, now_s), events: [parent] }
    },
    event: (event, { now_s }) => {
      const markets = marketsOf(world, event)
      return {
        ...describeEvent(event, markets, indexes, now_s),
        tags: event.tags.map((label, i) => ({ id: String(100 + i), label, slug: slug(label) })),
        markets: markets.map((market) => describeMarket(world, indexes, market, now_s)),
      }
    },
  }
}

function describeMarket(world: World, indexes: Indexes, market: Market, now_s: number): object {
  const event = eventOf(world, market)
  const isClosed = now_s >= market.closedAt_s
  const isPaused = now_s >= (market.pausedAt_s ?? Infinity) && now_s < (market.resumedAt_s ?? 0)
  const isLegacy = market.kind === 'legacy'
  const image = `${host}/images/${market.slug}.png`
  return {
    id: market.id,
    question: market.question,
    conditionId: market.conditionId,
    slug: market.slug,
    resolutionSource: '',
    endDate: iso(market.endsAt_s),
    startDate: iso(market.createdAt_s, market.index % 7),
    image,
    icon: image,
    description: `A simulated market: ${market.question}`,
    outcomes: textList(market.labels),
    ...prices(world, indexes, market, now_s),
    ...volumes(indexes, market, now_s),
    active: true,
    closed: isClosed,
    marketMakerAddress: '',
    createdAt: iso(market.createdAt_s, (market.index + 3) % 7),
    updatedAt: iso(Math.min(now_s, market.resolvedAt_s), 6),
    ...(isClosed && { closedTime: spaced(market.closedAt_s) }),
    new: false,
    featured: false,
    archived: false,
    restricted: true,
    questionID: market.questionId,
    enableOrderBook: !isLegacy,
    orderPriceMinTickSize: market.tick / 1e6,
    orderMinSize: 5,
    endDateIso: iso(market.endsAt_s).slice(0, 10),
    startDateIso: iso(market.createdAt_s).slice(0, 10),
    hasReviewedDates: true,
    ...tokens(market),
    acceptingOrders: !isClosed && !isPaused,
    ...(!isLegacy && { acceptingOrdersTimestamp: iso(market.createdAt_s) }),
    negRisk: event.negRiskId !== '',
    ...(event.negRiskId !== '' && { negRiskMarketID: event.negRiskId }),
    negRiskRequestID: '',
    negRiskOther: false,
    groupItemTitle: market.groupItemTitle,
    groupItemThreshold: String(Math.max(0, market.negRiskIndex)),
    ...(isLegacy && { category: event.category }),
    ...start(event),
    ...habits,
    ...oracle(market, now_s),
    ...fees(market),
  }
}

/** Constant fields of every row. */
const habits = {
  ready: false,
  funded: false,
  cyom: false,
  competitive: 0.9,
  pagerDutyNotificationEnabled: false,
  approved: true,
  rewardsMinSize: 20,
  rewardsMaxSpread: 3.5,
  automaticallyActive: true,
  clearBookOnStart: true,
  manualActivation: false,
  pendingDeployment: false,
  deploying: false,
  rfqEnabled: false,
  holdingRewardsEnabled: false,
  requiresTranslation: false,
} as const

function describeEvent(event: Event, markets: Market[], indexes: Indexes, now_s: number): object {
  const image = `${host}/images/${event.slug}.png`
  const volumeAt = (at_s: number) => markets.reduce((sum, market) => sum + indexes.volumeUntil(market.index, at_s), 0)
  const [volume, before] = [volumeAt(now_s), volumeAt(now_s - day_s)]
  return {
    id: event.id,
    ticker: event.slug,
    slug: event.slug,
    title: event.title,
    description: `A simulated event: ${event.title}`,
    resolutionSource: '',
    startDate: iso(event.createdAt_s, 6),
    creationDate: iso(event.createdAt_s, 6),
    endDate: iso(markets[0]?.endsAt_s ?? event.createdAt_s),
    image,
    icon: image,
    active: true,
    closed: markets.every((market) => now_s >= market.closedAt_s),
    archived: false,
    new: false,
    featured: false,
    restricted: true,
    ...(volume > 0 && { volume: volume / 1e6 }),
    ...(volume > before && { volume24hr: (volume - before) / 1e6 }),
    openInterest: 0,
    createdAt: iso(event.createdAt_s, 6),
    updatedAt: iso(now_s, 6),
    enableOrderBook: true,
    negRisk: event.negRiskId !== '',
    ...(event.negRiskId !== '' && { negRiskMarketID: event.negRiskId }),
    enableNegRisk: event.negRiskId !== '',
    negRiskAugmented: false,
    commentCount: 0,
    cyom: false,
    ...(event.startsAt_s !== null && { startTime: iso(event.startsAt_s) }),
    pendingDeployment: false,
    deploying: false,
    requiresTranslation: false,
  }
}

function eventOf(world: World, market: Market): Event {
  const event = world.events[market.event]
  if (event === undefined) throw new RangeError(`event ${market.event}: unknown; expected an event of the world`)
  return event
}

function marketsOf(world: World, event: Event): Market[] {
  return event.markets.flatMap((index) => world.markets[index] ?? [])
}

const slug = (label: string): string => label.toLowerCase().replaceAll(' ', '-')
