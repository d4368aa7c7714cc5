import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import { nativeId } from './wire/types.ts'

/** The venue removes single markets. More of the open ones are missing only from a list that was cut short. */
const mostRemoved = (n_before: number): number => Math.max(5, 0.05 * n_before)

/** The condition ids of the markets that are open in the lake before an instant. */
export async function openBefore(lake: LakeReader, at: Micros): Promise<string[]> {
  const rows = await lake.query(
    `select market_id from lake.markets where source = 'polymarket_markets' and seen_at < $at
     group by market_id having arg_max(status, seen_at) in ('open', 'paused') order by market_id`,
    z.object({ market_id: z.string() }),
    { at: time.encode(at) },
    { markets: ['polymarket_markets/'] },
  )
  return rows.map(({ market_id }) => nativeId(market_id))
}

/** The reason why a list of open markets may be cut short; null if too few of the known ones are missing. */
export function shrunk(before: readonly string[], listed: ReadonlyMap<string, unknown>): string | null {
  const lost = before.filter((id) => !listed.has(id))
  return lost.length > mostRemoved(before.length)
    ? `${lost.length} of ${before.length} markets that were open before are not listed`
    : null
}
