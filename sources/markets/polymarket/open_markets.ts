import { mostMissing } from '#ingest/guard.ts'
import type { LakeReader } from '#lake/reader.ts'
import { marketsBefore, noMarket } from '#sources/markets/known_markets.ts'
import type { Micros } from '#time.ts'

import { nativeId } from './wire/types.ts'

/** The condition ids of the markets that are open in the lake before an instant. */
export async function openBefore(lake: LakeReader, at: Micros): Promise<string[]> {
  const open = await marketsBefore(lake, at, { source: 'polymarket_markets', statuses: ['open', 'paused'] })
  return open.map(nativeId)
}

/**
 * The reason why a list of open markets may be cut short; null if it has markets, and few of the known ones are not
 * listed.
 */
export function shrunk(
  before: readonly string[],
  { n_lost, n_markets }: { n_lost: number; n_markets: number },
): string | null {
  if (before.length === 0 && n_markets === 0) return noMarket
  return n_lost > mostMissing(before.length)
    ? `${n_lost} of ${before.length} markets that were open before are not listed`
    : null
}
