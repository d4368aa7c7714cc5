import type { Quote } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { World } from '#sim/markets/types.ts'
import { storeRows } from '#test/lake/fixture.ts'
import { SECOND, type Micros } from '#time.ts'

/**
 * Stores the book of a market at each of its matches in a time. The books of whole hours alone would test moves between
 * whole hours, where a follow tests those of any 60 minutes.
 */
export async function storeBooks(
  lake: Lake,
  { matches, markets }: World,
  { from, to }: { from: Micros; to: Micros },
): Promise<void> {
  const books = new Map<string, Omit<Quote, 'source'>>()
  for (let match = 0; match < matches.length; match++) {
    const [ts, market] = [(matches.ts_s[match] ?? 0) * SECOND, markets[matches.market[match] ?? -1]]
    if (ts <= from || ts > to || market === undefined) continue
    const market_id = `polymarket:${market.conditionId}`
    books.set(`${market_id} ${ts}`, { ...none, market_id, ts, ...bookAt(matches.fair[match] ?? 0, market.tick) })
  }
  const unit = { source: 'books', kind: 'history' as const, part: 'polymarket', key: 'books', from, to, params: [] }
  await storeRows(lake, unit, { quotes: [...books.values()] }, { to, precedence: 20 })
}

const none = {
  period_s: 0,
  venue: 'polymarket',
  last: null,
  size: null,
  volume_24h_usd: null,
  size_24h: null,
  venue_price: null,
  liquidity_usd: null,
}

/** The two prices of the grid around the fair one, in millionths. The grid is finer at the extremes. */
function bookAt(fair: number, tick: number): { bid: bigint; ask: bigint } {
  const grid = fair < 0.04 || fair > 0.96 ? 1_000 : tick
  const steps = Math.min(Math.max(Math.floor((1e6 * fair) / grid), 1), 1e6 / grid - 2)
  return { bid: BigInt(steps * grid), ask: BigInt((steps + 1) * grid) }
}
