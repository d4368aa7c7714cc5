import { z } from 'zod'

import { quantity, unitPrice } from '#ingest/parse/decimals.ts'
import { address, conditionId, tokenId } from '#ingest/parse/ids.ts'
import { underV2Names } from '#sources/markets/polymarket/wire/trade_rows.ts'

const fields = {
  proxy_wallet: address,
  token_id: tokenId,
  condition_id: conditionId,
  title: z.string(),
  outcome: z.string(),
}

/** A row of `/positions` or `/closed-positions`. Nothing is built on it: positions follow from fills. */
export const positionRow = z.preprocess(
  underV2Names,
  z.union([
    z.object({
      ...fields,
      outcome_index: z.number().int(),
      avg_price: unitPrice,
      total_size: quantity,
      realized_pnl: z.number(),
    }),
    z.object({
      ...fields,
      outcomeIndex: z.number().int(),
      avgPrice: unitPrice,
      totalBought: quantity,
      realizedPnl: z.number(),
    }),
  ]),
)
