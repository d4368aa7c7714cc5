import { z } from 'zod'

import { feeExponent, fraction, millionths, quantity, unitPrice } from '#ingest/parse/decimals.ts'
import { conditionId } from '#ingest/parse/ids.ts'
import type { Parsing } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { Market, Quote } from '#lake/datasets/index.ts'
import { categoryOf } from '#sources/markets/categories.ts'
import type { Micros } from '#time.ts'

import { v2Id } from './ids.ts'
import { feeTerms, negRiskIndex } from './market_terms.ts'
import { idOf, maybe, maybeText, parseRows, textList, VENUE } from './types.ts'

const eventId = z.union([z.string().min(1), z.number()]).transform(String)

/** An event of a keyset list, for its tags. */
export const gammaEvent = z.object({
  id: eventId,
  category: maybeText,
  tags: z.array(z.object({ label: z.string() })).nullish(),
})

/** A token id in decimal, as trades write it. */
const inDecimal = (id: string): string => (/^0x[0-9a-f]+$/i.test(id) ? BigInt(id).toString() : id)

/** A market of a keyset list, with the tokens and the status of its version. Missing, null and '' all mean unknown. */
export const gammaMarket = z
  .object({
    conditionId,
    questionID: maybeText,
    question: z.string(),
    slug: maybeText,
    category: maybeText,
    outcomes: textList,
    outcomePrices: maybe(textList),
    version: maybeText,
    clobTokenIds: maybe(textList),
    positionIds: maybe(textList),
    active: z.boolean(),
    closed: z.boolean(),
    acceptingOrders: maybe(z.boolean()),
    umaResolutionStatus: maybeText,
    resolutionStatus: maybeText,
    createdAt: maybe(isoInstant),
    gameStartTime: maybe(isoInstant),
    eventStartTime: maybe(isoInstant),
    endDate: maybe(isoInstant),
    closedTime: maybe(isoInstant),
    negRisk: maybe(z.boolean()),
    negRiskMarketID: maybeText,
    groupItemThreshold: maybe(z.union([z.string(), z.number()])),
    feesEnabled: maybe(z.boolean()),
    feeSchedule: maybe(z.object({ rate: fraction, exponent: maybe(feeExponent), takerOnly: maybe(z.boolean()) })),
    bestBid: maybe(unitPrice),
    bestAsk: maybe(unitPrice),
    lastTradePrice: maybe(unitPrice),
    volume24hr: maybe(quantity),
    volume: maybe(quantity),
    liquidity: maybe(quantity),
    events: maybe(z.array(z.object({ id: eventId, slug: maybeText }))),
  })
  // Markets of version v1 may have `positionIds` too, so that the version decides.
  .transform(({ version, positionIds, resolutionStatus, ...market }) =>
    version === 'v2'
      ? {
          ...market,
          conditionId: v2Id(market.conditionId),
          clobTokenIds: positionIds?.map(inDecimal) ?? market.clobTokenIds,
          umaResolutionStatus: resolutionStatus,
        }
      : market,
  )
  .refine(({ outcomes, clobTokenIds }) => clobTokenIds === null || clobTokenIds.length === outcomes.length, {
    path: ['clobTokenIds'],
    message: 'expected a token for each outcome',
  })

/** The fields that some market of every longer list has, although a single market may lack them. */
export const usualFields = ['slug', 'clobTokenIds', 'createdAt', 'endDate', 'events'] as const
/** The fields that some open market of every longer list has. */
export const usualPrices = ['acceptingOrders', 'bestBid', 'bestAsk', 'outcomePrices'] as const

export type GammaMarket = z.output<typeof gammaMarket>
export type GammaEvent = z.output<typeof gammaEvent>
export type Tags = { category: string | null; tags: string[] }

export const tagsOf = ({ tags, category }: GammaEvent): Tags => {
  const labels = [...new Set((tags ?? []).map(({ label }) => label))].toSorted()
  return { tags: labels, category: categoryOf(labels) ?? category?.toLowerCase() ?? null }
}

/** A market that is announced, and not on its chain yet. It has neither an id nor tokens, so it has no trades. */
const announced = z.object({
  conditionId: z.literal(''),
  clobTokenIds: maybe(z.literal('[]')),
  positionIds: maybe(z.literal('[]')),
})

/** The markets of a page of `/markets/keyset`, without those that are only announced. */
export const parseMarkets = (page: readonly unknown[], parsing: Omit<Parsing, 'path'>): GammaMarket[] =>
  parseRows(
    page.filter((row) => !announced.safeParse(row).success),
    gammaMarket,
    { ...parsing, path: '/markets/keyset' },
  )

/** The tags of an event that is not listed. */
export const noTags: Tags = { tags: [], category: null }

/** A market with the tags of its event, which the market itself lacks. */
export const withTags = (row: Omit<Market, 'source'>, { tags, category }: Tags): Omit<Market, 'source'> => ({
  ...row,
  category: category ?? row.category,
  tags,
})

/** A market for the lake, without the tags of its event. A market without an event is its own. */
export const describeMarket = (market: GammaMarket, seen_at: Micros): Omit<Market, 'source'> => {
  const event = market.events?.[0]
  const slug = event?.slug ?? market.slug
  const [starts_at, starts_by] =
    market.gameStartTime !== null
      ? [market.gameStartTime, 'gameStartTime']
      : [market.eventStartTime, market.eventStartTime === null ? null : 'eventStartTime']
  const negRiskId = market.negRisk === true ? (market.negRiskMarketID?.toLowerCase() ?? null) : null
  return {
    market_id: idOf(market.conditionId),
    seen_at,
    venue: VENUE,
    event_id: idOf(event?.id ?? market.conditionId),
    question: market.question,
    labels: market.outcomes,
    token_ids: market.clobTokenIds ?? [],
    category: market.category?.toLowerCase() ?? null,
    tags: [],
    url: slug === null ? null : `https://polymarket.com/event/${slug}`,
    status: statusOf(market),
    is_open: isOpen(market),
    created_at: market.createdAt,
    starts_at,
    starts_by,
    ends_at: market.endDate,
    closed_at: market.closed ? market.closedTime : null,
    collateral: 'USDC',
    ...feeTerms(market),
    neg_risk_id: negRiskId === null ? null : idOf(negRiskId),
    neg_risk_index: negRiskId === null ? null : negRiskIndex(negRiskId, market.questionID, market.groupItemThreshold),
    volume_usd: market.volume && millionths(market.volume),
  }
}

/** The current prices of outcome 0; null for a market that is not open, or an empty book. */
export const quoteOf = (market: GammaMarket, ts: Micros): Omit<Quote, 'source'> | null => {
  if (!isOpen(market)) return null
  const { bestBid, bestAsk, lastTradePrice, volume24hr, liquidity } = market
  return {
    market_id: idOf(market.conditionId),
    ts,
    period_s: 0,
    venue: VENUE,
    bid: bestBid && millionths(bestBid),
    ask: bestAsk && millionths(bestAsk),
    last: lastTradePrice && millionths(lastTradePrice),
    size: null,
    volume_24h_usd: volume24hr && millionths(volume24hr),
    size_24h: null,
    venue_price: venuePrice(market),
    liquidity_usd: liquidity && millionths(liquidity),
  }
}

/** The price of outcome 0 that the venue shows; null without one, or if it is none. */
const venuePrice = ({ outcomePrices }: GammaMarket): bigint | null => {
  const [price] = outcomePrices ?? []
  const parsed = price === undefined ? undefined : unitPrice.safeParse(price)
  return parsed?.success === true ? millionths(parsed.data) : null
}

const isOpen = (market: GammaMarket): boolean => market.active && !market.closed && market.acceptingOrders === true

/**
 * A market closes before its payout. It counts as resolved once its prices are a payout vector and no UMA process
 * contradicts. Untraded markets also show equal shares, so these require UMA.
 */
const statusOf = (market: GammaMarket): string => {
  if (!market.closed) return isOpen(market) ? 'open' : 'paused'
  const prices = (market.outcomePrices ?? []).map(Number)
  const isWon =
    prices.filter((price) => price === 1).length === 1 && prices.every((price) => price === 0 || price === 1)
  const isShared = prices.length > 0 && prices.every((price) => Math.abs(price * prices.length - 1) < 1e-6)
  const uma = market.umaResolutionStatus
  return (isWon && (uma === null || uma === 'resolved')) || (isShared && uma === 'resolved') ? 'resolved' : 'closed'
}
