import { z } from 'zod'

import { dayOf, lastRows } from '#ingest/change_rows.ts'
import type { StreamRequest } from '#ingest/http/connection.ts'
import { defineSource, type NewRow, type StreamEvent, type StreamReader, type StreamTools } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { lastObserved } from '#lake/units/stored_unit.ts'
import { isoMicros, lastPresent, type Micros } from '#time.ts'

import { clobPushHost } from './hosts.ts'
import { assignTokens } from './wire/book_connections.ts'
import { bestPrices, PING, subscriptionTo, type BestPrices } from './wire/book_messages.ts'
import { VENUE } from './wire/types.ts'

/** The busy markets are spread over all connections, so that none of them is quiet for long. */
const SILENCE_S = 30

const odds = { name: 'polymarket_odds', unit: 'observation', part: VENUE } as const
const markets = { name: 'polymarket_markets', part: VENUE } as const

export const polymarketBook = defineSource({
  kind: 'stream',
  name: 'polymarket_book',
  doc:
    'The best bid and ask of the open markets within seconds, as the order books are pushed over websockets (CLOB ' +
    'market channel: `book`, `price_change` and `best_bid_ask`). A connection names the tokens of outcome 0 of up to ' +
    '400 markets. The 10,000 markets with the most volume are followed; a connection is opened anew when it gets a ' +
    'market. Only changes are stored, compared with the last poll too. The rows are provisional: they are dropped as ' +
    '`polymarket_odds` observes the markets. They have no volume and no last price. A connection without a message ' +
    'for 30 seconds is replaced, although it answers; that time is a gap until the next observation. No recording of ' +
    'the channel exists: that it delivers, its shapes and its limits are unverified, and `tapeline probe polymarket` ' +
    'tests the first two.',
  parts: [{ name: VENUE, upstreams: [clobPushHost] }],
  datasets: ['quotes'],
  unit: 'hour',
  // Below the polls, which have all of a market.
  precedence: 25,
  lag_s: 0,
  settle_s: 7_200,
  grid_s: 60,
  silence_s: SILENCE_S,
  store_s: 1,
  sealedBy: odds,
  follow: { group: 'book' },
  typical: { requests: 1, rows: 20_000, bytes: 100_000_000 },
  open: (context) => bookReader(context),
})

type Prices = Pick<BestPrices, 'at' | 'bid' | 'ask'>
const isSame = (a: Prices, b: Prices): boolean => a.bid === b.bid && a.ask === b.ask
type Named = { tokens: readonly string[]; request: StreamRequest }

/**
 * A reader of the books of the open markets. It names none before the first poll, whose prices the pushed ones change.
 */
function bookReader({ lake, clock }: StreamTools): StreamReader {
  /** The open markets, by their token of outcome 0. */
  let opened = new Map<string, string>()
  /** The last prices of each market: pushed, or polled since. */
  let last = new Map<string, Prices>()
  let polledAt: Micros | null = null
  let listedAt: Micros | null = null
  let connections: readonly Named[] = []

  const rowOf = (market_id: string, { at, bid, ask }: BestPrices): NewRow<'quotes'> => ({
    market_id,
    ts: at,
    period_s: 0,
    venue: VENUE,
    bid,
    ask,
    last: null,
    size: null,
    volume_24h_usd: null,
    size_24h: null,
    venue_price: null,
    liquidity_usd: null,
  })

  /** The event of prices; null if they are no change, or older than the last poll, which has them. */
  const eventOf = (prices: BestPrices): StreamEvent | null => {
    const market_id = opened.get(prices.token)
    if (market_id === undefined || polledAt === null || prices.at < polledAt) return null
    const before = last.get(market_id)
    if (before !== undefined && (prices.at < before.at || isSame(before, prices))) return null
    last.set(market_id, prices)
    return { cursor: null, at: prices.at, rows: { quotes: [rowOf(market_id, prices)] } }
  }

  return {
    wanted: () => connections.map(({ request }) => request),
    parse: (text) => bestPrices(text).flatMap((prices) => eventOf(prices) ?? []),
    refresh: async () => {
      const now = clock()
      const polled = await lastObserved(lake, odds, now)
      const listed = await lastObserved(lake, markets, now)
      if (polled === null || (polled === polledAt && listed === listedAt)) return
      const tokens = listed === listedAt ? opened : await openTokens(lake, now)
      const quotes = await polledQuotes(lake, [...tokens.values()], polled)
      last = new Map([...quotes, ...[...last].filter(([, { at }]) => at > polled)])
      ;[opened, polledAt, listedAt] = [tokens, polled, listed]
      const wanted = [...tokens]
        .map(([token, market]) => ({ token, volume: Number(quotes.get(market)?.volume ?? 0n) }))
        .toSorted((a, b) => b.volume - a.volume)
      connections = connectionsTo(
        connections,
        wanted.map(({ token }) => token),
      )
    },
  }
}

/** The connections to tokens. One that gets no new token is the same object. */
function connectionsTo(open: readonly Named[], wanted: readonly string[]): Named[] {
  const before = new Map(open.map((connection) => [connection.tokens, connection]))
  return assignTokens([...before.keys()], wanted).map((tokens) => {
    const request = { host: clobPushHost.name, path: '', hello: subscriptionTo(tokens), ping: PING }
    return before.get(tokens) ?? { tokens, request }
  })
}

const tokenShape = z.object({ market_id: z.string(), token: z.string() })

/** The open markets, by their token of outcome 0. A listing of the future is not the last one. */
async function openTokens(lake: Lake, now: Micros): Promise<Map<string, string>> {
  const rows = await lake.read(({ query }) =>
    query(
      `select market_id, seen.token as token from (
         select market_id, arg_max(struct_pack(token := token_ids[1], is_open := is_open), seen_at) as seen
         from lake.markets
         where source = '${markets.name}' and seen_at <= timestamp '${isoMicros(lastPresent(now))}' group by market_id
       ) where seen.is_open and seen.token is not null`,
      tokenShape,
      {},
      { markets: [`${markets.name}/`] },
    ),
  )
  return new Map(rows.map(({ market_id, token }) => [token, market_id]))
}

const polledShape = z.object({
  ts: z.bigint().transform(Number),
  bid: z.bigint().nullable(),
  ask: z.bigint().nullable(),
  volume_24h_usd: z.bigint().nullable(),
})

/** The prices of markets at a poll, and their volumes. */
async function polledQuotes(
  lake: Lake,
  market_ids: readonly string[],
  polled: Micros,
): Promise<Map<string, Prices & { volume: bigint | null }>> {
  const rows = await lake.read((reader) =>
    lastRows(reader, {
      source: odds.name,
      dataset: 'quotes',
      instant: 'ts',
      before: polled + 1,
      market_ids,
      under: dayOf(odds, polled),
    }),
  )
  return new Map(
    [...rows].map(([market_id, row]) => {
      const { bid, ask, volume_24h_usd } = polledShape.parse(row)
      return [market_id, { at: polled, bid, ask, volume: volume_24h_usd }]
    }),
  )
}
