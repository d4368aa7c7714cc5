import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { systemAddresses } from '#sim/markets/types.ts'
import { isoMicros, type Micros } from '#time.ts'

/**
 * The inputs of closing line value, from the datasets of the lake up to an instant. Shares, US dollars and prices are
 * whole millionths, instants microseconds.
 */
export type Facts = { at: Micros; fills: Fill[]; quotes: Quote[]; looks: Look[]; markets: Map<string, Market> }

export type Fill = z.infer<typeof fillShape> & { market: Market; outcome: number; isSystem: boolean }
export type Quote = z.infer<typeof quoteShape>
export type Look = z.infer<typeof lookShape>
export type Market = z.infer<typeof marketShape> & { resolvedAt: Micros | null; payouts: number[] | null }

const count = z.coerce.number()
const optional = count.nullable()
const fillShape = z.object({
  venue: z.string(),
  tokenId: z.string(),
  ts: count,
  tx: z.string(),
  trader: z.string(),
  side: z.enum(['buy', 'sell']),
  role: z.string().nullable(),
  price: count,
  size: count,
  cash: optional,
  fee: optional,
})
const quoteShape = z.object({ marketId: z.string(), ts: count, bid: optional, ask: optional })
const lookShape = z.object({ venue: z.string(), at: count })
const marketShape = z.object({
  id: z.string(),
  venue: z.string(),
  eventId: z.string(),
  category: z.string(),
  tokenIds: z.array(z.string()),
  startsAt: optional,
})
const resolutionShape = z.object({ marketId: z.string(), ts: count, payouts: z.array(count) })

const millionths = (column: string): string => `round(${column}::double * 1000000)::bigint`

/** Reads the rows; the last description of a market and its last payouts count. */
export async function readFacts(connection: DuckDBConnection, at: Micros): Promise<Facts> {
  const until = `timestamp '${isoMicros(at)}'`
  const read = async <T>(shape: z.ZodType<T>, sql: string): Promise<T[]> =>
    z.array(shape).parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
  const markets = new Map<string, Market>()
  const described = `select market_id as id, venue, event_id as "eventId", coalesce(category, '') as category,
      token_ids as "tokenIds", epoch_us(starts_at) as "startsAt"
    from lake.markets where seen_at <= ${until} order by seen_at`
  for (const one of await read(marketShape, described)) markets.set(one.id, { ...one, resolvedAt: null, payouts: null })
  const resolved = `select market_id as "marketId", epoch_us(ts) as ts,
      list_transform(payouts, lambda payout: ${millionths('payout')}) as payouts
    from lake.resolutions where ts <= ${until} order by ts`
  for (const { marketId, ts, payouts } of await read(resolutionShape, resolved)) {
    const market = markets.get(marketId)
    if (market !== undefined) Object.assign(market, { resolvedAt: ts, payouts })
  }
  const filled = `select venue, token_id as "tokenId", epoch_us(ts) as ts, tx, trader, side, role,
      ${millionths('price')} as price, ${millionths('size')} as size, ${millionths('cash_usd')} as cash,
      ${millionths('fee_usd')} as fee
    from lake.fills where ts <= ${until}`
  const quoted = `select market_id as "marketId", epoch_us(ts) as ts, ${millionths('bid')} as bid, ${millionths('ask')} as ask
    from lake.quotes where period_s = 0 and ts <= ${until} order by ts`
  const looked = `select part as venue, epoch_us(from_at) as at from lake.coverage
    where dataset = 'quotes' and state in ('done', 'head') and from_at <= ${until}`
  return {
    at,
    markets,
    fills: placed(await read(fillShape, filled), markets),
    quotes: await read(quoteShape, quoted),
    looks: await read(lookShape, looked),
  }
}

/** The fills of described markets, each with its market and the number of its outcome. */
function placed(rows: readonly z.infer<typeof fillShape>[], markets: ReadonlyMap<string, Market>): Fill[] {
  const places = new Map<string, { market: Market; outcome: number }>()
  for (const market of markets.values()) {
    for (const [outcome, token] of market.tokenIds.entries()) places.set(token, { market, outcome })
  }
  const system = new Set<string>(systemAddresses)
  return rows.flatMap((row) => {
    const place = places.get(row.tokenId)
    return place === undefined ? [] : [{ ...row, ...place, isSystem: system.has(row.trader) }]
  })
}
