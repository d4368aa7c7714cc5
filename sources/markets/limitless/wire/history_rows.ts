import { z } from 'zod'

import { zodReason } from '#ingest/http/response.ts'
import { millionths, quantity, quantityRange, times, type Decimal } from '#ingest/parse/decimals.ts'
import { txHash } from '#ingest/parse/ids.ts'
import { maybe } from '#ingest/parse/rows.ts'
import { epochSeconds } from '#ingest/parse/timestamps.ts'
import type { NewActivity, NewFill } from '#sources/markets/fills.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'

import { amountIn, amountsOf, type Notation } from './amount_notation.ts'
import { collateral } from './market_rows.ts'
import { decimal, idOf, isDollar, marketSlug, outcomeIndex, price, tokenOf, unitPrices } from './types.ts'

/** The strategies of fills: their side, and the role if the strategy decides it. A limit order may be either. */
const FILLS = {
  'Limit Buy': { side: 'buy', isTaker: false },
  'Limit Sell': { side: 'sell', isTaker: false },
  'Market Buy': { side: 'buy', isTaker: true },
  'Market Sell': { side: 'sell', isTaker: true },
  Buy: { side: 'buy', isTaker: true },
  Sell: { side: 'sell', isTaker: true },
} as const
const MOVES = { Split: 'split', Merge: 'merge', Convert: 'convert' } as const

export const fillNames = Object.keys(FILLS) as [keyof typeof FILLS, ...(keyof typeof FILLS)[]]
const moveNames = Object.keys(MOVES) as [keyof typeof MOVES, ...(keyof typeof MOVES)[]]

export const amount = z.union([z.string(), z.number()])

const common = z.object({
  blockTimestamp: epochSeconds,
  collateralAmount: amount,
  tradeEventId: z.union([z.string().min(1), z.number()]),
  transactionHash: maybe(txHash),
  market: z.object({ slug: marketSlug, collateral }),
})

export const fillRow = common.extend({
  strategy: z.enum(fillNames),
  outcomeIndex,
  outcomeTokenAmount: amount,
  outcomeTokenPrice: maybe(price),
  makerMatchId: maybe(z.union([z.string(), z.number()])),
})

const moveRow = common.extend({
  strategy: z.enum(moveNames),
  outcomeTokenAmount: maybe(amount),
  outcomeTokenAmounts: maybe(z.array(amount)),
})

const withStrategy = z.looseObject({ strategy: z.enum(moveNames) })

/** A row of a history for the lake, and its `tradeEventId`; or why it is rejected. */
export type ParsedRow = { id: string; fill?: NewFill; move?: NewActivity; reason?: undefined } | { reason: string }

/** Parses a row of an account's history. A row of an unknown strategy is rejected as a fill. */
export function parseHistoryRow(
  body: unknown,
  trader: string,
  notation: Notation,
): { dataset: 'fills' | 'activity'; row: ParsedRow } {
  return withStrategy.safeParse(body).success
    ? { dataset: 'activity', row: parseMove(body, trader, notation) }
    : { dataset: 'fills', row: parseFill(body, trader, notation) }
}

function parseFill(body: unknown, trader: string, notation: Notation): ParsedRow {
  const { success, data: row, error } = fillRow.safeParse(body)
  if (!success) return { reason: zodReason(error) }
  const { slug, collateral: token } = row.market
  if (!isDollar(token.symbol)) return { reason: notDollars(token.symbol) }
  const [cash, size] = [decimal.safeParse(row.collateralAmount).data, decimal.safeParse(row.outcomeTokenAmount).data]
  if (cash === undefined) return { reason: 'collateralAmount: expected a number from 0 on' }
  if (size === undefined) return { reason: 'outcomeTokenAmount: expected a number from 0 on' }
  const statedPrice = row.outcomeTokenPrice === null ? null : (unitPrices([row.outcomeTokenPrice])[0] ?? null)
  const amounts = amountsOf({ cash, size, price: statedPrice }, notation, token.decimals)
  if (amounts === null)
    return { reason: 'collateralAmount: contradicts the price times the shares; expected their product' }
  if (!isBounded(amounts.cash) || !isBounded(amounts.size))
    return { reason: `collateralAmount: expected ${quantityRange}` }
  const { side, isTaker } = FILLS[row.strategy]
  const [moved, shares] = [millionths(amounts.cash), millionths(amounts.size)]
  const fee = statedPrice === null ? 0n : feeOf(side, moved, millionths(times(amounts.size, statedPrice)))
  return {
    id: String(row.tradeEventId),
    fill: {
      venue: VENUE,
      token_id: tokenOf(slug, row.outcomeIndex),
      ts: row.blockTimestamp,
      tx: row.transactionHash ?? '',
      trader,
      side,
      price: statedPrice === null ? ratio(moved, shares) : millionths(statedPrice),
      size: shares,
      seq: 0,
      market_id: idOf(slug),
      role: isTaker ? 'taker' : row.makerMatchId === null ? null : 'maker',
      cash_usd: side === 'buy' ? moved - fee : moved + fee,
      fee_usd: fee,
    },
  }
}

/** A smaller difference between cash and price times size is rounding. */
const ROUNDING = 10n

/**
 * The fee is the difference between the cash and the shares at their price: a buyer pays it in shares, a seller in
 * cash. A difference in favour of the trader is rounding of the price.
 */
const feeOf = (side: 'buy' | 'sell', moved: bigint, atPrice: bigint): bigint => {
  const fee = side === 'buy' ? moved - atPrice : atPrice - moved
  return fee < ROUNDING ? 0n : fee
}

const ratio = (cash: bigint, size: bigint): bigint => (size === 0n ? 0n : (cash * 1_000_000n) / size)
const isBounded = (value: Decimal): boolean => quantity.safeParse(`${millionths(value)}e-6`).success
const notDollars = (symbol: string): string => `market.collateral.symbol: ${symbol}; expected dollars`

/**
 * A split, merge or conversion. `size` is the first amount of shares as the venue writes it. It is not the number of
 * sets: recorded merges have twice the sets. A set is a dollar, so `cash_usd` is that number.
 */
function parseMove(body: unknown, trader: string, notation: Notation): ParsedRow {
  const { success, data: row, error } = moveRow.safeParse(body)
  if (!success) return { reason: zodReason(error) }
  const { slug, collateral: token } = row.market
  if (!isDollar(token.symbol)) return { reason: notDollars(token.symbol) }
  const cash = amountIn(row.collateralAmount, notation, token.decimals)
  if (cash === null || !isBounded(cash)) return { reason: `collateralAmount: expected ${quantityRange}` }
  const written = [...(row.outcomeTokenAmounts ?? []), row.outcomeTokenAmount].filter((value) => value !== null)
  const sizes = written.map((value) => amountIn(value, notation, token.decimals))
  if (!sizes.every((value) => value !== null && isBounded(value))) {
    return { reason: `outcomeTokenAmounts: expected of each ${quantityRange}` }
  }
  const [size = null] = sizes
  return {
    id: String(row.tradeEventId),
    move: {
      venue: VENUE,
      trader,
      ts: row.blockTimestamp,
      tx: row.transactionHash ?? '',
      kind: MOVES[row.strategy],
      market_id: idOf(slug),
      token_id: '',
      seq: 0,
      size: size && millionths(size),
      cash_usd: millionths(cash),
      neg_risk_id: null,
      index_set: null,
      n_questions: null,
      counterparty: null,
    },
  }
}
