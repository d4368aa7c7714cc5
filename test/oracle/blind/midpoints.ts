import type { Facts, Market, Quote } from './facts.ts'
import { grouped } from './numbers.ts'
import type { Rules } from './rules.ts'

/** The midpoint of the book of outcome 0 at an instant, in millionths; null if nothing is known of it since another. */
export type Midpoints = (market: Market, at: number, since: number) => number | null

export function midpointsOf({ quotes, looks }: Facts, { midpoints }: Rules): Midpoints {
  const rows = grouped(quotes, ({ marketId }) => marketId)
  const lookedAt = new Map(
    [...grouped(looks, ({ venue }) => venue)].map(([venue, own]) => [venue, own.map(({ at }) => at)]),
  )
  return (market, at, since) => {
    if (midpoints === 'none') return null
    const last = lastUntil(rows.get(market.id) ?? [], at)
    if (last === undefined) return null
    const isFresh = (seen: number): boolean => seen >= since && seen <= at
    const isSeen = isFresh(last.ts) || (lookedAt.get(market.venue) ?? []).some(isFresh)
    const isOneSided = last.bid === null || last.ask === null
    if (midpoints === 'of two sides' && isOneSided) return null
    return isSeen || midpoints === 'of any age' ? midpointOf(last) : null
  }
}

/** Rows are in the order of time. */
function lastUntil(rows: readonly Quote[], at: number): Quote | undefined {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.ts ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return rows[low - 1]
}

function midpointOf({ bid, ask }: Quote): number | null {
  const [low, high] = [bid ?? 0, ask ?? 1_000_000]
  const spread = high - low
  if (spread < 0 || spread > 100_000) return null
  // Wider than a cent, and wider than the way from the middle to 0 or 1.
  if (spread > 10_000 && 2 * spread > Math.min(low + high, 2_000_000 - low - high)) return null
  return Math.floor((low + high + 1) / 2)
}
