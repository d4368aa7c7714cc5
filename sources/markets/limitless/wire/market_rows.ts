import { z } from 'zod'

import { absentFields } from '#ingest/lost_columns.ts'
import { conditionId, tokenId } from '#ingest/parse/ids.ts'
import { maybe, maybeText, parseRows, type Parsing } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { Market, Resolution } from '#lake/datasets/index.ts'
import { categoryOf } from '#sources/markets/categories.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'
import type { Micros } from '#time.ts'

import { epochMillis, idOf, isDollar, marketSlug, outcomeIndex, price, rawAmount, tokenOf } from './types.ts'

export const collateral = z.object({ symbol: z.string().min(1), decimals: z.number().int().min(0).max(36) })
const pair = z.tuple([price, price])

/** A market, of a list or alone. The list nests the markets of a group. */
export const limitlessMarket = z
  .object({
    slug: marketSlug,
    title: z.string(),
    conditionId,
    tokens: maybe(z.object({ yes: tokenId, no: tokenId })),
    status: z.enum(['FUNDED', 'LOCKED', 'CLOSED', 'RESOLVED']),
    expired: maybe(z.boolean()),
    expirationTimestamp: maybe(epochMillis),
    winningOutcomeIndex: outcomeIndex.nullable(),
    tradeType: maybeText,
    collateralToken: collateral,
    createdAt: maybe(isoInstant),
    updatedAt: maybe(isoInstant),
    startAt: maybe(isoInstant),
    categories: maybe(z.array(z.string())),
    tags: maybe(z.array(z.string())),
    negRiskMarketId: maybeText,
    prices: maybe(pair),
    tradePrices: maybe(z.object({ buy: z.object({ market: pair }), sell: z.object({ market: pair }) })),
    // It serves quotes alone, so that a market without it is kept.
    volume: rawAmount.nullable().catch(null),
  })
  .refine(({ tokens, tradeType }) => tokens !== null || tradeType === 'amm', {
    path: ['tokens'],
    message: 'expected the tokens of a market with an order book',
  })

export type LimitlessMarket = z.output<typeof limitlessMarket>

const groupFields = z.object({
  slug: marketSlug,
  title: z.string(),
  categories: maybe(z.array(z.string())),
  tags: maybe(z.array(z.string())),
  negRiskMarketId: maybeText,
  markets: z.array(z.unknown()),
})

/** The group of a market: its question begins with the title of the group. */
export type Group = Omit<z.output<typeof groupFields>, 'markets'>

/** A market with its group; null: a market on its own. */
export type Listed = { market: LimitlessMarket; group: Group | null }

const withMarkets = z.object({ markets: z.array(z.unknown()).min(1) })

/** The markets of a list. A group has its markets nested, and is no market itself. */
export function parseListed(bodies: readonly unknown[], parsing: Parsing): Listed[] {
  return bodies.flatMap((body): Listed[] => {
    if (!withMarkets.safeParse(body).success) {
      return parseRows([body], limitlessMarket, parsing).map((market) => ({ market, group: null }))
    }
    return parseRows([body], groupFields, parsing).flatMap(({ markets, ...group }) =>
      parseRows(markets, limitlessMarket, parsing).map((market) => ({ market, group })),
    )
  })
}

/** Fields that all markets of a longer list lack, although the venue fills them in practice. */
export const absentOf = (listed: readonly Listed[]): string[] =>
  absentFields(
    // That a market has not expired is a value too.
    listed.map(({ market }) => ({ ...market, expired: market.expired === null ? null : 'known' })),
    ['expired', 'createdAt', 'expirationTimestamp', 'categories', 'tags', 'prices', 'volume'],
  )

/** A market for the lake. Its outcomes are YES and NO, whatever its title says. */
export function describeMarket({ market, group }: Listed, seen_at: Micros): Omit<Market, 'source'> {
  const { slug } = market
  const labels = [
    ...(group?.categories ?? []),
    ...(group?.tags ?? []),
    ...(market.categories ?? []),
    ...(market.tags ?? []),
  ]
  const tags = [...new Set(labels)].toSorted()
  const negRiskId = (group?.negRiskMarketId ?? market.negRiskMarketId)?.toLowerCase() ?? null
  const status = statusOf(market)
  return {
    market_id: idOf(slug),
    seen_at,
    venue: VENUE,
    event_id: idOf(group?.slug ?? slug),
    question: group === null ? market.title : `${group.title}: ${market.title}`,
    labels: ['Yes', 'No'],
    token_ids: [tokenOf(slug, 0), tokenOf(slug, 1)],
    category: categoryOf(tags),
    tags,
    url: `https://limitless.exchange/markets/${group?.slug ?? slug}`,
    status,
    is_open: status === 'open',
    created_at: market.createdAt,
    starts_at: market.startAt,
    starts_by: market.startAt === null ? null : 'startAt',
    ends_at: market.expirationTimestamp,
    closed_at: status === 'open' || status === 'paused' ? null : closedAt(market),
    collateral: market.collateralToken.symbol,
    // Fees are in the amounts of the histories of accounts.
    taker_fee_rate: null,
    maker_fee_rate: null,
    fee_exponent: null,
    neg_risk_id: negRiskId === null ? null : idOf(negRiskId),
    neg_risk_index: null,
    volume_usd: null,
  }
}

export const isOpen = (market: LimitlessMarket): boolean => statusOf(market) === 'open'

/** A resolved market without a winner was void. Its payout is not shown, so it stays closed. */
const statusOf = ({ status, expired, winningOutcomeIndex }: LimitlessMarket): string => {
  if (status === 'RESOLVED') return winningOutcomeIndex === null ? 'closed' : 'resolved'
  if (status === 'CLOSED' || expired === true) return 'closed'
  return status === 'LOCKED' ? 'paused' : 'open'
}

/** The expiration, or the resolution of a market that was resolved before it. */
const closedAt = ({ status, expirationTimestamp, updatedAt }: LimitlessMarket): Micros | null => {
  if (status !== 'RESOLVED' || updatedAt === null) return expirationTimestamp
  return expirationTimestamp === null ? updatedAt : Math.min(expirationTimestamp, updatedAt)
}

/**
 * The payout of a resolved market; null without a winner. The venue has no time of resolution. A resolved market does
 * not change any more, so it is the last update, at the latest the time of the observation.
 */
export function resolutionOf(market: LimitlessMarket, at: Micros): Omit<Resolution, 'source'> | null {
  const { slug, status, winningOutcomeIndex, updatedAt } = market
  if (status !== 'RESOLVED' || winningOutcomeIndex === null) return null
  return {
    market_id: idOf(slug),
    ts: Math.min(updatedAt ?? at, at),
    venue: VENUE,
    payouts: winningOutcomeIndex === 0 ? [1_000_000n, 0n] : [0n, 1_000_000n],
    status: 'resolved',
    tx: null,
  }
}

/** Whether amounts of the market are dollars. */
export const isInDollars = ({ collateralToken }: Pick<LimitlessMarket, 'collateralToken'>): boolean =>
  isDollar(collateralToken.symbol)
