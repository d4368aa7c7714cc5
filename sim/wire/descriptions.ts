import type { Event, Market, World } from '#sim/types.ts'

import { bookOf } from './book.ts'
import type { Instant } from './reply.ts'
import { standingOf } from './resolutions.ts'
import type { Shelves } from './shelves.ts'
import { decimal, iso, spaced } from './text.ts'

const day_s = 86_400
const host = 'https://simulated.invalid'

export type Describer = {
  market: (market: Market, at: Instant) => object
  event: (event: Event, at: Instant) => object
}

/** Markets and events in gamma's words, as they stand at an instant. */
export function createDescriber(world: World, shelves: Shelves): Describer {
  return {
    market: (market, at) => ({ ...describeMarket(market, at), events: [describeEvent(eventOf(market), at)] }),
    event: (event, at) => ({
      ...describeEvent(event, at),
      tags: event.tags.map((label, i) => ({
        id: String(100 + i),
        label,
        slug: label.toLowerCase().replaceAll(' ', '-'),
      })),
      markets: marketsOf(event).map((market) => describeMarket(market, at)),
    }),
  }

  function describeMarket(market: Market, { now_s }: Instant): object {
    const event = eventOf(market)
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
      ...prices(market, now_s),
      ...volumes(market, now_s),
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
      clobTokenIds: textList(market.tokenIds),
      acceptingOrders: !isClosed && !isPaused,
      negRisk: event.negRiskId !== '',
      negRiskMarketID: event.negRiskId,
      negRiskRequestID: '',
      negRiskOther: false,
      groupItemTitle: market.groupItemTitle,
      groupItemThreshold: String(Math.max(0, market.negRiskIndex)),
      ...(isLegacy && { category: event.category }),
      ...(event.startsBy !== null && event.startsAt_s !== null && start(event.startsBy, event.startsAt_s)),
      ready: false,
      funded: false,
      cyom: false,
      approved: true,
      rewardsMinSize: 20,
      rewardsMaxSpread: 3.5,
      manualActivation: false,
      ...oracle(market, now_s),
      pendingDeployment: false,
      deploying: false,
      rfqEnabled: false,
      holdingRewardsEnabled: false,
      ...fees(market),
      requiresTranslation: false,
    }
  }

  function describeEvent(event: Event, { now_s }: Instant): object {
    const own = marketsOf(event)
    const image = `${host}/images/${event.slug}.png`
    const volume = own.reduce((sum, market) => sum + shelves.volumeUntil(market.index, now_s), 0)
    const before = own.reduce((sum, market) => sum + shelves.volumeUntil(market.index, now_s - day_s), 0)
    return {
      id: event.id,
      ticker: event.slug,
      slug: event.slug,
      title: event.title,
      description: `A simulated event: ${event.title}`,
      resolutionSource: '',
      startDate: iso(event.createdAt_s, 6),
      creationDate: iso(event.createdAt_s, 6),
      endDate: iso(own[0]?.endsAt_s ?? event.createdAt_s),
      image,
      icon: image,
      active: true,
      closed: own.every((market) => now_s >= market.closedAt_s),
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

  function prices(market: Market, now_s: number): object {
    const book = bookOf(world, shelves, market, now_s)
    // The oldest rows were never given a final price: zeros, or whatever the last one was.
    if (market.kind === 'legacy') {
      const outcomePrices = market.labels[0] === 'Long' ? ['0.6180339887498948', '0.3819660112501052'] : ['0', '0']
      return {
        outcomePrices: textList(outcomePrices),
        bestBid: 0,
        bestAsk: 1,
        lastTradePrice: 0,
        spread: 1,
        liquidity: '0',
        liquidityNum: 0,
      }
    }
    const { bid, ask, mid, last } = book
    const liquidity = 500 + ((market.index * 7919) % 90_000) / 7
    return {
      ...(mid !== null && { outcomePrices: textList([decimal(mid), decimal(1_000_000 - mid)]) }),
      ...(bid !== null && { bestBid: bid / 1e6 }),
      ...(ask !== null && { bestAsk: ask / 1e6 }),
      ...(last !== null && { lastTradePrice: last / 1e6 }),
      spread: ((ask ?? 1_000_000) - (bid ?? 0)) / 1e6,
      liquidity: String(liquidity),
      liquidityNum: liquidity,
    }
  }

  /** Volume in dollars: text and number. Absent where nobody has traded, in all or in the last day. */
  function volumes(market: Market, now_s: number): object {
    if (market.kind === 'legacy')
      return { volume: '32257.445115', volumeNum: 32257.45, volume24hr: 0, volume1wk: 0, volume1mo: 0 }
    const volume = shelves.volumeUntil(market.index, now_s)
    if (volume === 0) return {}
    const since = (days: number) => (volume - shelves.volumeUntil(market.index, now_s - days * day_s)) / 1e6
    const recent = since(1)
    const whole = volume / 1e6
    const day = recent > 0 ? { volume24hr: recent, volume24hrClob: recent } : {}
    return {
      volume: String(whole),
      volumeNum: whole,
      volumeClob: whole,
      ...day,
      volume1wk: since(7),
      volume1mo: since(30),
      volume1yr: whole,
    }
  }

  function oracle(market: Market, now_s: number): object {
    const standing = standingOf(market, now_s)
    if (standing === 'open' || standing === 'closed') return { umaResolutionStatuses: '[]' }
    const past = market.disputedAt_s !== null && now_s >= market.disputedAt_s ? ['proposed', 'disputed'] : ['proposed']
    const isResolved = standing === 'resolved'
    return {
      umaResolutionStatus: standing,
      umaResolutionStatuses: textList(isResolved ? [...past, 'resolved'] : past),
      ...(isResolved && { umaEndDate: iso(market.resolvedAt_s), automaticallyResolved: true }),
    }
  }

  function eventOf(market: Market): Event {
    const event = world.events[market.event]
    if (event === undefined) throw new RangeError(`there is no event ${market.event}`)
    return event
  }

  function marketsOf(event: Event): Market[] {
    return event.markets.flatMap((index) => world.markets[index] ?? [])
  }
}

/** A list inside a string, with the venue's space after the comma. */
const textList = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(', ')}]`

const start = (by: 'gameStartTime' | 'eventStartTime', at_s: number): object =>
  by === 'gameStartTime' ? { gameStartTime: spaced(at_s), secondsDelay: 3 } : { eventStartTime: iso(at_s) }

function fees({ feeRate, kind }: Market): object {
  if (feeRate === 0) return { feesEnabled: false, feeType: null }
  const feeSchedule = { exponent: 1, rate: feeRate, rebateRate: 0.25, takerOnly: true }
  const feeType = kind === 'up_down' ? 'crypto_fees' : 'sports_fees_v2'
  return { feesEnabled: true, feeType, makerBaseFee: 1000, takerBaseFee: 1000, feeSchedule }
}
