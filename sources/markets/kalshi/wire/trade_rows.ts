import { z } from 'zod'

import { millionths, times, unitPrice, type Decimal } from '#ingest/parse/decimals.ts'
import { maybe } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { Fill } from '#lake/datasets/index.ts'

import { contracts, idOf, ticker, tokensOf, underNewNames, VENUE } from './types.ts'

/** A trade of either generation of the wire: one taker's match with one maker. Neither is named. */
export const kalshiTrade = z.preprocess(
  underNewNames,
  z.object({
    trade_id: z.string().regex(/^[\w-]{1,100}$/, 'expected the id of a trade'),
    ticker,
    created_time: isoInstant,
    count_fp: contracts,
    yes_price_dollars: unitPrice,
    no_price_dollars: maybe(unitPrice),
    taker_outcome_side: z.enum(['yes', 'no']),
    is_block_trade: z.boolean().nullish(),
  }),
)
export type KalshiTrade = z.output<typeof kalshiTrade>

/** 1 - p, exactly. */
const opposite = ({ units, places }: Decimal): Decimal => ({ units: 10n ** BigInt(places) - units, places })

/**
 * The taker's side of a trade, as a purchase of YES or of NO. The venue sells no shares: a seller of YES buys NO. A
 * block trade was agreed off the book. Its role is `block`, which is volume and no price.
 */
export const toFill = (trade: KalshiTrade): Omit<Fill, 'source'> => {
  const { yes_price_dollars: yes, no_price_dollars: no, taker_outcome_side, count_fp } = trade
  const [yesToken, noToken] = tokensOf(trade.ticker)
  const isYes = taker_outcome_side === 'yes'
  const price = isYes ? yes : (no ?? opposite(yes))
  return {
    venue: VENUE,
    token_id: isYes ? yesToken : noToken,
    ts: trade.created_time,
    tx: trade.trade_id,
    trader: '',
    side: 'buy',
    price: millionths(price),
    size: millionths(count_fp),
    // Trades of one instant differ by their ids.
    seq: 0,
    market_id: idOf(trade.ticker),
    role: trade.is_block_trade === true ? 'block' : 'taker',
    cash_usd: millionths(times(price, count_fp)),
    fee_usd: null,
  }
}
