import { z } from 'zod'

import type { Fill } from '#lake/datasets.ts'

import { epochSeconds } from './instants.ts'
import { millionths, quantity, times, unitPrice, type Decimal } from './numbers.ts'
import { address, conditionId, idOf, tokenId, txHash, VENUE } from './polymarket.ts'

/** v1 wrote in camelCase what v2 writes in snake_case, and called the token an asset. */
const V2_NAMES: Record<string, string> = {
  proxyWallet: 'proxy_wallet',
  asset: 'token_id',
  conditionId: 'condition_id',
  usdcSize: 'usdc_size',
  transactionHash: 'transaction_hash',
}

/** A row of either version under v2's names. Rows of v2, which are nearly all, are left as they are. */
export const underV2Names = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && !('proxy_wallet' in body)
    ? Object.fromEntries(Object.entries(body).map(([name, value]) => [V2_NAMES[name] ?? name, value]))
    : body

export const tradeFields = z.object({
  proxy_wallet: address,
  side: z.enum(['BUY', 'SELL']),
  token_id: tokenId,
  condition_id: conditionId,
  size: quantity,
  price: unitPrice,
  timestamp: epochSeconds,
  transaction_hash: txHash,
})

/** A trade as both `/trades` and `/activity` describe it, in v1 and v2. */
export type Trade = z.output<typeof tradeFields>

export const tradeRow = z.preprocess(underV2Names, tradeFields)

/** Price times size from the full double, which gives back the whole millionths that moved on the chain. */
export const notional = ({ size, price }: { size: Decimal; price: Decimal }): bigint => millionths(times(size, price))

export type NewFill = Omit<Fill, 'source'>

export const toFill = (
  trade: Trade,
  { role, cash_usd, fee_usd }: Pick<Fill, 'role' | 'cash_usd' | 'fee_usd'>,
): NewFill => ({
  venue: VENUE,
  token_id: trade.token_id,
  ts: trade.timestamp,
  tx: trade.transaction_hash,
  trader: trade.proxy_wallet,
  side: trade.side === 'BUY' ? 'buy' : 'sell',
  price: millionths(trade.price),
  size: millionths(trade.size),
  seq: 0,
  market_id: idOf(trade.condition_id),
  role,
  cash_usd,
  fee_usd,
})

/**
 * Numbers the rows that agree in `key`, from 0: the venue gives no id, and equal rows are real. Among them the order
 * is by `rest`, so that it does not depend on the order in which they came.
 */
export function numbered<R extends { seq: number }>(
  rows: readonly R[],
  key: (row: R) => string,
  rest: (row: R) => string,
): R[] {
  const alike = new Map<string, R[]>()
  for (const row of rows) push(alike, key(row), row)
  return [...alike.values()].flatMap((group) =>
    group.length === 1
      ? group
      : group
          .map((row) => ({ row, rest: rest(row) }))
          .toSorted((a, b) => (a.rest < b.rest ? -1 : a.rest > b.rest ? 1 : 0))
          .map(({ row }, seq) => ({ ...row, seq })),
  )
}

const push = <T>(groups: Map<string, T[]>, key: string, item: T): void => {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}

export const numberedFills = (fills: readonly NewFill[]): NewFill[] =>
  numbered(
    fills,
    (fill) => [fill.token_id, fill.ts, fill.tx, fill.trader, fill.side, fill.price, fill.size].join(),
    (fill) => [fill.role, fill.cash_usd, fill.fee_usd].join(),
  )

type WithRole = { trade: Trade; role: 'taker' | 'maker' | null }

/**
 * Tells takers from makers: `all` are the rows of a market, `takers` those of the same market with takers alone, null
 * where they are not known. A row of `all` with a twin in `takers` is a taker's; of equal rows as many as there are
 * twins. `strays` are takers that `all` lacks: the two listings contradict each other.
 */
export function withRoles(
  all: readonly Trade[],
  takers: readonly Trade[] | null,
): { trades: WithRole[]; strays: WithRole[] } {
  if (takers === null) return { trades: all.map((trade) => ({ trade, role: null })), strays: [] }
  const twins = new Map<string, Trade[]>()
  for (const trade of takers) push(twins, identity(trade), trade)
  const trades = all.map((trade): WithRole => {
    const isTaker = twins.get(identity(trade))?.pop() !== undefined
    return { trade, role: isTaker ? 'taker' : 'maker' }
  })
  return { trades, strays: [...twins.values()].flat().map((trade) => ({ trade, role: 'taker' })) }
}

/** Everything that a trade says of itself. */
const identity = (trade: Trade): string => {
  const { size, price } = trade
  return [
    trade.transaction_hash,
    trade.token_id,
    trade.proxy_wallet,
    trade.side,
    `${size.units}e-${size.places}`,
    `${price.units}e-${price.places}`,
    trade.timestamp,
  ].join()
}
