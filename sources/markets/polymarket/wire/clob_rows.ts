import { z } from 'zod'

import { conditionId, tokenId } from '#ingest/parse/ids.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { Market, Resolution } from '#lake/datasets/index.ts'
import { categoryOf } from '#sources/markets/categories.ts'
import type { Micros } from '#time.ts'

import { negRiskIndex } from './market_terms.ts'
import { idOf, maybe, maybeText, VENUE } from './types.ts'

/** A market of the CLOB's list. The oldest markets have no tokens: their ids are ''. */
export const clobMarket = z.object({
  condition_id: conditionId,
  question_id: maybeText,
  question: z.string(),
  market_slug: maybeText,
  active: z.boolean(),
  closed: z.boolean(),
  accepting_orders: maybe(z.boolean()),
  end_date_iso: maybe(isoInstant),
  game_start_time: maybe(isoInstant),
  neg_risk: maybe(z.boolean()),
  neg_risk_market_id: maybeText,
  is_50_50_outcome: maybe(z.boolean()),
  tokens: z.array(z.object({ token_id: maybe(tokenId), outcome: z.string(), winner: maybe(z.boolean()) })).min(2),
  tags: z.array(z.string()).nullish(),
})

export type ClobMarket = z.output<typeof clobMarket>

/** A market of the CLOB, which gives no event, no creation time and no closing time. */
export const describeClobMarket = (market: ClobMarket, seen_at: Micros): Omit<Market, 'source'> => {
  const { tokens, game_start_time } = market
  const tags = [...new Set(market.tags ?? [])].toSorted()
  const negRiskId = market.neg_risk === true ? (market.neg_risk_market_id?.toLowerCase() ?? null) : null
  const token_ids = tokens.map(({ token_id }) => token_id).filter((id) => id !== null)
  return {
    market_id: idOf(market.condition_id),
    seen_at,
    venue: VENUE,
    event_id: idOf(market.condition_id),
    question: market.question,
    labels: tokens.map(({ outcome }) => outcome),
    token_ids: token_ids.length === tokens.length ? token_ids : [],
    category: categoryOf(tags),
    tags,
    url: market.market_slug === null ? null : `https://polymarket.com/event/${market.market_slug}`,
    ...statusOf(market),
    created_at: null,
    starts_at: game_start_time,
    starts_by: game_start_time === null ? null : 'game_start_time',
    ends_at: market.end_date_iso,
    closed_at: null,
    collateral: 'USDC',
    // `taker_base_fee` is a ceiling for orders, 0 on most markets with fees: it is not used.
    taker_fee_rate: null,
    maker_fee_rate: null,
    fee_exponent: null,
    neg_risk_id: negRiskId === null ? null : idOf(negRiskId),
    neg_risk_index: negRiskId === null ? null : negRiskIndex(negRiskId, market.question_id, null),
    volume_usd: null,
  }
}

const statusOf = (market: ClobMarket): Pick<Market, 'status' | 'is_open'> => {
  if (market.closed) return { status: payoutsOf(market) === null ? 'closed' : 'resolved', is_open: false }
  const is_open = market.active && market.accepting_orders === true
  return { status: is_open ? 'open' : 'paused', is_open }
}

/**
 * The payout of each outcome of a closed market; null while unknown. Exactly one winner takes all. A 50-50 without a
 * winner is shared once no more orders are accepted.
 */
const payoutsOf = ({ closed, tokens, is_50_50_outcome, accepting_orders }: ClobMarket): bigint[] | null => {
  if (!closed) return null
  const n_winners = tokens.filter(({ winner }) => winner === true).length
  if (n_winners === 1) return tokens.map(({ winner }) => (winner === true ? 1_000_000n : 0n))
  const isShared = is_50_50_outcome === true && n_winners === 0 && accepting_orders !== true && tokens.length === 2
  return isShared ? [500_000n, 500_000n] : null
}

/** The resolution of a market by the CLOB, as seen at an instant; null without one. */
export const resolutionOf = (market: ClobMarket, ts: Micros): Omit<Resolution, 'source'> | null => {
  const payouts = payoutsOf(market)
  return payouts && { market_id: idOf(market.condition_id), ts, venue: VENUE, payouts, status: 'resolved', tx: null }
}
