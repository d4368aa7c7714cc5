import { z } from 'zod'

import { millionths, quantity, times, unitPrice, type Decimal } from '#ingest/parse/decimals.ts'
import { address, conditionId, tokenId, txHash } from '#ingest/parse/ids.ts'
import { epochSeconds } from '#ingest/parse/timestamps.ts'
import type { Fill } from '#lake/datasets/index.ts'
import type { NewFill } from '#sources/markets/fills.ts'

import { marketOf } from './ids.ts'
import { idOf, VENUE } from './types.ts'

/** The names of v1 are in camelCase, those of v2 in snake_case; v1 calls the token an asset. */
const V2_NAMES: Record<string, string> = {
  proxyWallet: 'proxy_wallet',
  asset: 'token_id',
  conditionId: 'condition_id',
  usdcSize: 'usdc_size',
  transactionHash: 'transaction_hash',
}

/** A row of either version with v2's names. Rows of v2, which are nearly all, stay as they are. */
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

/** A trade as `/trades` and `/activity` describe it, in v1 and v2. */
export type Trade = z.output<typeof tradeFields>

/** Names the market of Protocol V2 by its own id, whether the row pads it or not. */
export const withMarket = <T extends { condition_id: string; token_id: string }>(row: T): T => ({
  ...row,
  condition_id: marketOf(row.condition_id, row.token_id),
})

export const tradeRow = z.preprocess(underV2Names, tradeFields).transform(withMarket)

/** Price times size from the full double, which gives the exact millionths of the chain. */
export const notional = ({ size, price }: { size: Decimal; price: Decimal }): bigint => millionths(times(size, price))

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
