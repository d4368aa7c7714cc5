import { millionths, type Decimal } from '#ingest/parse/decimals.ts'
import type { Quote } from '#lake/datasets/index.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'
import { DAY, type Micros } from '#time.ts'

import { isInDollars, isOpen, type LimitlessMarket } from './market_rows.ts'
import { idOf, scaled, unitPrices } from './types.ts'

/** An empty side of the book is shown as the end of the grid, like an order at that price. Both ends: an empty book. */
const LOWEST = 1_000n
const HIGHEST = 999_000n

/**
 * The current prices of YES; null for a market that is not open. A purchase at the market's price pays the ask, a sale
 * gets the bid. `last` is the venue's own figure, the middle of the book; an empty book has none. The venue has no
 * volume of 24 hours. Only for a market of the last 24 hours is it known: it is the volume of all time.
 */
export function quoteOf(market: LimitlessMarket, ts: Micros): Omit<Quote, 'source'> | null {
  if (!isOpen(market)) return null
  const { prices, tradePrices, createdAt } = market
  const [sold, bought] = [tradePrices?.sell.market, tradePrices?.buy.market]
  const book = sold === undefined || bought === undefined ? [] : unitPrices([sold[0], bought[0], sold[1], bought[1]])
  const [low, high] = book.map(millionths)
  const isEmpty = low !== undefined && high !== undefined && low <= LOWEST && high >= HIGHEST
  const isNew = createdAt !== null && createdAt > ts - DAY
  return {
    market_id: idOf(market.slug),
    ts,
    period_s: 0,
    venue: VENUE,
    bid: isEmpty ? null : (low ?? null),
    ask: isEmpty ? null : (high ?? null),
    last: prices === null || isEmpty ? null : priceOfYes(prices),
    size: null,
    volume_24h_usd: isNew ? volumeOf(market) : null,
    size_24h: null,
    venue_price: null,
    liquidity_usd: null,
  }
}

const priceOfYes = (prices: readonly Decimal[]): bigint | null => {
  const [yes] = unitPrices(prices)
  return yes === undefined ? null : millionths(yes)
}

/** The volume of all time is a raw amount of the collateral. */
const volumeOf = (market: LimitlessMarket): bigint | null =>
  market.volume === null || !isInDollars(market)
    ? null
    : millionths(scaled(market.volume, market.collateralToken.decimals))
