import { z } from 'zod'

import { millionths, parseDecimal, times, unitPrice } from '#ingest/parse/decimals.ts'
import { maybe, maybeText } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { Market, Quote, Resolution } from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

import { contracts, idOf, seriesOf, ticker, tokensOf, underNewNames, VENUE } from './types.ts'

/** The states of a row, and those of the lake. The filter `status` of the lists has other names. */
const STATUSES = {
  initialized: 'paused',
  inactive: 'paused',
  active: 'open',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'resolved',
  settled: 'resolved',
} as const
type Status = keyof typeof STATUSES

/** A market of either generation of the wire. Missing, null and '' all mean unknown. */
export const kalshiMarket = z.preprocess(
  underNewNames,
  z.object({
    ticker,
    event_ticker: ticker,
    title: z.string(),
    yes_sub_title: maybeText,
    status: z.enum(Object.keys(STATUSES) as [Status, ...Status[]]),
    created_time: maybe(isoInstant),
    open_time: maybe(isoInstant),
    close_time: maybe(isoInstant),
    expected_expiration_time: maybe(isoInstant),
    expiration_time: maybe(isoInstant),
    settlement_ts: maybe(isoInstant),
    result: maybeText,
    settlement_value_dollars: maybe(unitPrice),
    yes_bid_dollars: maybe(unitPrice),
    yes_ask_dollars: maybe(unitPrice),
    last_price_dollars: maybe(unitPrice),
    volume_24h_fp: maybe(contracts),
    mve_collection_ticker: maybeText,
  }),
)
export type KalshiMarket = z.output<typeof kalshiMarket>

/** Combinations of several markets, of which there are very many, are left out. */
export const isCombo = (market: KalshiMarket): boolean => market.mve_collection_ticker !== null

export const isSettled = ({ status }: KalshiMarket): boolean => STATUSES[status] === 'resolved'

/** A series of markets. */
export const kalshiSeries = z.object({
  ticker,
  category: maybeText,
  tags: z.array(z.string()).nullish(),
  fee_type: maybeText,
  fee_multiplier: maybe(z.union([z.number(), z.string()])),
})
export type KalshiSeries = z.output<typeof kalshiSeries>

/** The properties of a market that it takes from its series. */
export type SeriesTerms = Pick<Market, 'category' | 'tags' | 'taker_fee_rate' | 'maker_fee_rate'>

export const unknownTerms: SeriesTerms = { category: null, tags: [], taker_fee_rate: null, maker_fee_rate: null }

const BASE_RATE = { units: 7n, places: 2 }

/**
 * The terms of a series. A taker pays contracts x rate x p x (1 - p), rounded up to a cent, with a rate of 0.07 times
 * the multiplier. Of other kinds of fees the rate is unknown, and so is that of makers in some series.
 */
export const termsOf = ({ category, tags, fee_type, fee_multiplier }: KalshiSeries): SeriesTerms => {
  const multiplier = parseDecimal(fee_multiplier ?? 'unknown')
  const isQuadratic = fee_type?.startsWith('quadratic') === true && multiplier !== null
  return {
    category: category?.toLowerCase() ?? null,
    tags: [...new Set(tags ?? [])].toSorted(),
    taker_fee_rate: isQuadratic ? millionths(times(BASE_RATE, multiplier)) : null,
    maker_fee_rate: fee_type === 'quadratic' ? 0n : null,
  }
}

/** The year 1 stands for an unknown instant. */
const instantOrNull = (at: Micros | null): Micros | null => (at !== null && at > 0 ? at : null)

/** A market for the lake. YES is outcome 0. The venue names no start: `occurrence_datetime` is the expected end. */
export const describeMarket = (market: KalshiMarket, terms: SeriesTerms, seen_at: Micros): Omit<Market, 'source'> => {
  const { title, yes_sub_title: subtitle } = market
  const status = STATUSES[market.status]
  const isOver = status === 'closed' || status === 'resolved'
  return {
    market_id: idOf(market.ticker),
    seen_at,
    venue: VENUE,
    event_id: idOf(market.event_ticker),
    // The markets of an event often have the same title.
    question: subtitle === null || title.endsWith(subtitle) ? title : `${title} (${subtitle})`,
    labels: ['Yes', 'No'],
    token_ids: tokensOf(market.ticker),
    url: `https://kalshi.com/markets/${seriesOf(market.ticker).toLowerCase()}`,
    status,
    is_open: status === 'open',
    created_at: instantOrNull(market.created_time) ?? instantOrNull(market.open_time),
    starts_at: null,
    starts_by: null,
    ends_at: instantOrNull(market.expected_expiration_time) ?? instantOrNull(market.expiration_time),
    // The planned close is rewritten to the actual one.
    closed_at: isOver ? instantOrNull(market.close_time) : null,
    collateral: 'USD',
    neg_risk_id: null,
    neg_risk_index: null,
    volume_usd: null,
    ...terms,
    fee_exponent: null,
  }
}

const ONE = 1_000_000n
/** A price that stands for an empty side of the book is unknown. */
const within = (price: bigint | null): bigint | null => (price !== null && price > 0n && price < ONE ? price : null)

/** The current prices of YES; null for a market that is not open. From the close on, the book is 0 and 1. */
export const quoteOf = (market: KalshiMarket, ts: Micros): Omit<Quote, 'source'> | null => {
  if (STATUSES[market.status] !== 'open') return null
  const { yes_bid_dollars, yes_ask_dollars, last_price_dollars, volume_24h_fp } = market
  return {
    market_id: idOf(market.ticker),
    ts,
    period_s: 0,
    venue: VENUE,
    bid: within(yes_bid_dollars && millionths(yes_bid_dollars)),
    ask: within(yes_ask_dollars && millionths(yes_ask_dollars)),
    last: within(last_price_dollars && millionths(last_price_dollars)),
    size: null,
    // The venue counts contracts. Dollars follow from its trades alone.
    volume_24h_usd: null,
    size_24h: volume_24h_fp && millionths(volume_24h_fp),
    venue_price: null,
    liquidity_usd: null,
  }
}

const PAYOUTS: Record<string, bigint> = { yes: ONE, no: 0n }

/**
 * The payouts of a settled market; null without one. The settlement value is what YES pays: a part of a dollar for a
 * scalar market, and for a cancelled event that settles at a fair price.
 */
export const resolutionOf = (market: KalshiMarket): Omit<Resolution, 'source'> | null => {
  const { settlement_value_dollars: value, result } = market
  const ts = market.settlement_ts ?? instantOrNull(market.close_time)
  const yes = value === null ? PAYOUTS[result ?? ''] : millionths(value)
  if (STATUSES[market.status] !== 'resolved' || yes === undefined || ts === null) return null
  return { market_id: idOf(market.ticker), ts, venue: VENUE, payouts: [yes, ONE - yes], status: 'resolved', tx: null }
}

/** A settled market, whose payouts are known. */
export const settledMarket = kalshiMarket.refine((market) => resolutionOf(market) !== null, {
  path: ['settlement_value_dollars'],
  message: 'expected a settled market with its value, or with the result yes or no',
})

/** A market of the list by the time of the settlement, which each row of the newer wire has. */
export const settledLately = settledMarket.refine(
  ({ status, settlement_ts }) => status !== 'finalized' || settlement_ts !== null,
  { path: ['settlement_ts'], message: 'expected the time of the settlement' },
)

/** Fields that each recorded market has. Where no market of a list has one, its name has changed. */
export const usualFields = [
  'yes_sub_title',
  'created_time',
  'open_time',
  'close_time',
  'expected_expiration_time',
] as const
/** Fields that each recorded open market has. */
export const usualPrices = ['yes_bid_dollars', 'yes_ask_dollars', 'last_price_dollars', 'volume_24h_fp'] as const
