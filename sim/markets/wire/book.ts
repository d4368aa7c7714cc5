import type { Market, World } from '#sim/markets/types.ts'

import type { Indexes } from './indexes.ts'
import { standingOf } from './standing.ts'

/** Prices of outcome 0 in millionths, as the venue shows them; null without one. */
export type Book = { bid: number | null; ask: number | null; mid: number | null; last: number | null }

const dollar = 1_000_000
const quiet_s = 48 * 3600
/** The time during which a new market without trades has no prices. */
const silence_s = 3600

/**
 * The book around the last fair price. It is wide after a long time without trades, and one-sided at the edge of the
 * grid.
 */
export function bookOf(world: World, indexes: Indexes, market: Market, now_s: number): Book {
  const match = indexes.lastMatch(market.index, now_s)
  if (market.kind === 'legacy') return { bid: 0, ask: dollar, mid: null, last: 0 }
  if (match < 0 && now_s < market.createdAt_s + silence_s) return { bid: null, ask: null, mid: null, last: null }

  const last = match < 0 ? null : lastPrice(world, match)
  if (standingOf(market, now_s) === 'resolved') return { ...finalBook(market), last }
  const fair = (match < 0 ? market.openingPrice : (world.matches.fair[match] ?? 0)) * dollar
  const { tick } = market
  const isQuiet = match >= 0 && now_s - (world.matches.ts_s[match] ?? 0) > quiet_s
  const half = Math.max(market.bookHalf, isQuiet ? 8 * 10_000 : 0)
  const low = Math.max(0, Math.floor((fair - half) / tick) * tick)
  const high = Math.min(dollar, Math.max(low + tick, Math.ceil((fair + half) / tick) * tick))
  const mid = (low + high) / 2
  // Closed, without a payout yet: a price equal to a payout would look like one.
  const isClosed = now_s >= market.closedAt_s
  const shown =
    isClosed && (mid === dollar / 2 || mid === 0 || mid === dollar) ? Math.min(dollar - tick / 2, mid + tick / 2) : mid
  return { bid: low === 0 ? null : low, ask: high === dollar ? null : high, mid: shown, last }
}

/** The price of the last match in either token, as a price of outcome 0. */
function lastPrice({ matches, fills }: World, match: number): number {
  const fill = matches.firstFill[match] ?? 0
  const price = Math.round(((fills.cash[fill] ?? 0) / (fills.size[fill] ?? 1)) * 1000) * 1000
  return fills.outcome[fill] === 0 ? price : dollar - price
}

function finalBook({ payouts }: Market): Omit<Book, 'last'> {
  const mid = payouts?.[0] ?? null
  if (mid === dollar) return { bid: dollar - 1000, ask: dollar, mid }
  return mid === 0 ? { bid: null, ask: 1000, mid } : { bid: null, ask: null, mid }
}
