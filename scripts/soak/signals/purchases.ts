import { z } from 'zod'

import { plantFill, type SignalWorld } from '#test/pipeline/signals/signal_world.ts'
import { plantedInformation, usdAt } from '#test/pipeline/signals/sizes.ts'
import type { Micros } from '#time.ts'

/** A trader with few large trades has no trade of the planted information below this. */
const most_usd = 1e9

const tailShape = z.object({
  trader: z.string(),
  threshold_usd: z.coerce.number(),
  share: z.coerce.number(),
  shape: z.coerce.number(),
  scale: z.coerce.number(),
})
const purchaseShape = z.object({
  trader: z.string(),
  market_id: z.string(),
  token_id: z.string(),
  at: z.coerce.number(),
})

/**
 * Repeats the first purchase of each proven trader in a time, in a size of the planted information. Returns the
 * transactions.
 */
export async function plantPurchases(
  { lake, marts }: SignalWorld,
  { from, to }: { from: Micros; to: Micros },
): Promise<Set<string>> {
  const tails = z.array(tailShape).parse(
    await marts(`select trader, threshold_usd, tail_share as share, tail_shape as shape, tail_scale as scale
      from marts.signal_traders`),
  )
  const firsts = await lake.read(({ query }) =>
    query(
      `select trader, arg_min(market_id, ts) as market_id, arg_min(token_id, ts) as token_id, epoch_us(min(ts)) as at
       from lake.fills where side = 'buy' and epoch_us(ts) > ${from} and epoch_us(ts) <= ${to} group by trader order by trader`,
      purchaseShape,
    ),
  )
  const [planted, markets] = [new Set<string>(), new Set<string>()]
  for (const { trader, market_id, token_id, at } of firsts) {
    const tail = tails.find((one) => one.trader === trader)
    // The planted fills of a market replace each other.
    if (tail === undefined || markets.has(market_id)) continue
    const usd = usdAt(plantedInformation, tail)
    if (usd > most_usd) continue
    const tx = `0xagain${planted.size}`
    await plantFill(lake, market_id, { token_id, ts: at, tx, trader, size: BigInt(Math.ceil(2 * usd)) * 1_000_000n })
    planted.add(tx)
    markets.add(market_id)
  }
  return planted
}
