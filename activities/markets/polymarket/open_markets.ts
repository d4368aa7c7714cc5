import { marketsBefore, mostMissing, noMarket } from '#activities/markets/known_markets.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import { nativeId } from './wire/types.ts'

/** The condition ids of the markets that are open in the lake before an instant. */
export async function openBefore(lake: LakeReader, at: Micros): Promise<string[]> {
  const open = await marketsBefore(lake, at, { source: 'polymarket_markets', statuses: ['open', 'paused'] })
  return open.map(nativeId)
}

/** The reason why a list of open markets may be cut short; null if it has markets and too few known ones are missing. */
export function shrunk(before: readonly string[], listed: ReadonlyMap<string, unknown>): string | null {
  if (before.length === 0 && listed.size === 0) return noMarket
  const lost = before.filter((id) => !listed.has(id))
  return lost.length > mostMissing(before.length)
    ? `${lost.length} of ${before.length} markets that were open before are not listed`
    : null
}
