import { z } from 'zod'

import { millionths, unitPrice, type Decimal } from '#ingest/parse/decimals.ts'
import { maybe } from '#ingest/parse/rows.ts'
import type { Micros } from '#time.ts'

/** The best prices of a token from an instant on, in millionths; null: its book has none on that side. */
export type BestPrices = { token: string; at: Micros; bid: bigint | null; ask: bigint | null }

/** Without this text the venue closes the connection. */
export const PING = { text: 'PING', every_s: 10, replies: ['PONG', ''] }

/** The server closes a connection for ever after a text with more ids. */
const MOST_IDS = 100

/** The texts that subscribe to tokens. */
export const subscriptionTo = (tokens: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(tokens.length / MOST_IDS) }, (_, n) =>
    JSON.stringify({
      ...(n === 0 ? { type: 'market', custom_feature_enabled: true } : { operation: 'subscribe' }),
      assets_ids: tokens.slice(n * MOST_IDS, (n + 1) * MOST_IDS),
    }),
  )

/** A time in milliseconds, as a number or a text. Seconds would lie before the year 2000 and do not parse. */
const milliseconds = z
  .union([z.number().int(), z.string().regex(/^\d+$/).transform(Number)])
  .refine((value) => value >= Date.UTC(2000, 0) && value <= Date.UTC(2100, 0), 'expected a time in milliseconds')
const at = milliseconds.transform((value): Micros => value * 1_000)
const level = z.object({ price: unitPrice, size: z.union([z.string(), z.number()]) })

const book = z.object({ asset_id: z.string(), timestamp: at, bids: z.array(level), asks: z.array(level) })
const best = z.object({ asset_id: z.string(), best_bid: maybe(unitPrice), best_ask: maybe(unitPrice) })
const bestBidAsk = best.extend({ timestamp: at })
const priceChange = z.object({ timestamp: at, price_changes: z.array(best) })

const frame = z.looseObject({ event_type: z.string().nullish() })
const frames = z.union([z.array(frame), frame.transform((event) => [event])])

/** The type of each event of a message. */
export const pushedEvents = (text: string): string[] =>
  frames.parse(JSON.parse(text)).map(({ event_type }) => event_type ?? 'unnamed')

/**
 * The best prices that a message states, in its order. Events of other types, such as trades, have none. Throws if an
 * event with prices does not parse.
 */
export const bestPrices = (text: string): BestPrices[] => frames.parse(JSON.parse(text)).flatMap(pricesOf)

function pricesOf(event: z.output<typeof frame>): BestPrices[] {
  if (event.event_type === 'book') {
    const { asset_id, timestamp, bids, asks } = book.parse(event)
    return [{ token: asset_id, at: timestamp, bid: bestOf(bids, -1), ask: bestOf(asks, 1) }]
  }
  if (event.event_type === 'best_bid_ask') {
    const { timestamp, ...prices } = bestBidAsk.parse(event)
    return stated([prices], timestamp)
  }
  if (event.event_type === 'price_change') {
    const { timestamp, price_changes } = priceChange.parse(event)
    return stated(price_changes, timestamp)
  }
  return []
}

/** A change of a deeper level may come without the best prices. */
const stated = (changes: readonly z.output<typeof best>[], timestamp: Micros): BestPrices[] =>
  changes
    .filter(({ best_bid, best_ask }) => best_bid !== null || best_ask !== null)
    .map(({ asset_id, best_bid, best_ask }) => ({
      token: asset_id,
      at: timestamp,
      bid: sideOf(best_bid),
      ask: sideOf(best_ask),
    }))

/** A bid of 0 and an ask of 1 are an empty side: no order has these prices. */
function sideOf(price: Decimal | null): bigint | null {
  const value = price === null ? null : millionths(price)
  return value === 0n || value === 1_000_000n ? null : value
}

/** The best price of a side in any order of its levels; `sign` is 1 if the least is the best. */
function bestOf(levels: readonly z.output<typeof level>[], sign: 1 | -1): bigint | null {
  const prices = levels.filter(({ size }) => Number(size) > 0).map(({ price }) => millionths(price))
  return prices.reduce<bigint | null>(
    (first, price) => (first === null || (sign === 1 ? price < first : price > first) ? price : first),
    null,
  )
}
