import { z } from 'zod'

import { kalshiMarket, kalshiSeries, usualPrices as kalshiPrices } from '#sources/markets/kalshi/wire/market_rows.ts'
import { kalshiTrade } from '#sources/markets/kalshi/wire/trade_rows.ts'
import { eventRow } from '#sources/markets/limitless/wire/fill_rows.ts'
import { fillRow } from '#sources/markets/limitless/wire/history_rows.ts'
import { makerData } from '#sources/markets/limitless/wire/maker_rows.ts'
import { limitlessMarket } from '#sources/markets/limitless/wire/market_rows.ts'
import { gammaEvent, gammaMarket, usualPrices } from '#sources/markets/polymarket/wire/gamma_rows.ts'
import { resolutionRow } from '#sources/markets/polymarket/wire/resolution_rows.ts'
import { tradeFields } from '#sources/markets/polymarket/wire/trade_rows.ts'

type Row = Record<string, unknown>
type Body = Record<string, unknown>

/** A list of an upstream, the source that reads it, and the fields of its rows. */
export type Route = {
  source: string
  path: string
  fields: readonly string[]
  change: (body: Body, change: (row: Row) => Row) => unknown
}

const routeOf = (source: string, path: string, list: string, fields: readonly string[]): Route => ({
  source,
  path,
  fields,
  change: (body, change) => ({
    ...body,
    [list]: z.array(z.record(z.string(), z.unknown())).parse(body[list]).map(change),
  }),
})

/** The fields of a shape before its transformations. */
function namesOf(shape: z.ZodType): string[] {
  if (shape instanceof z.ZodObject) return Object.keys(shape.shape)
  if (shape instanceof z.ZodPipe) {
    // A transform before a shape, such as a preparation of its rows, has no fields.
    const [before, after] = [shape.in, shape.out] as z.ZodType[]
    const isPrepared = before instanceof z.ZodTransform && after !== undefined
    return namesOf(isPrepared ? after : (before ?? shape))
  }
  throw new Error('shape: no object; expected the shape of a row')
}

const market = namesOf(gammaMarket)
/** The fields of a market that quotes follow from. */
const prices = ['conditionId', 'active', 'closed', ...usualPrices, 'lastTradePrice', 'volume24hr']
const trade = namesOf(tradeFields)

/** The lists that the sources of Polymarket read by v2, gamma and their fields by the shapes of their rows. */
export const routes: readonly Route[] = [
  routeOf('polymarket_markets', '/markets/keyset', 'markets', market),
  routeOf('polymarket_markets', '/events/keyset', 'events', namesOf(gammaEvent)),
  routeOf('polymarket_odds', '/markets/keyset', 'markets', prices),
  routeOf('polymarket_trades', '/v2/trades', 'data', trade),
  routeOf('polymarket_activity', '/v2/activity', 'data', [...trade, 'type', 'usdc_size']),
  routeOf('polymarket_resolutions', '/v2/resolutions', 'data', namesOf(resolutionRow)),
]

/** The fields of Kalshi by which a listed trade is no purchase at a price are few, and missing from older rows. */
const kalshiTradeFields = namesOf(kalshiTrade).filter((name) => name !== 'is_block_trade')

/** The lists that the sources of Kalshi read. */
export const kalshiRoutes: readonly Route[] = [
  routeOf('kalshi_markets', '/markets', 'markets', namesOf(kalshiMarket)),
  routeOf('kalshi_markets', '/series', 'series', namesOf(kalshiSeries)),
  routeOf('kalshi_odds', '/markets', 'markets', ['ticker', 'status', ...kalshiPrices]),
  routeOf('kalshi_trades', '/markets/trades', 'trades', kalshiTradeFields),
  routeOf('kalshi_settlements', '/markets', 'markets', namesOf(kalshiMarket)),
]

const limitless = namesOf(limitlessMarket)
const rowsShape = z.array(z.record(z.string(), z.unknown()))

/** Rows of Limitless: those of a list, or of an object with a list of one of two names. */
const ofLimitless = (
  source: string,
  path: string,
  fields: readonly string[],
  changeRow = (row: Row, change: (row: Row) => Row): Row => change(row),
): Route => ({
  source,
  path,
  fields,
  change: (body, change) => {
    const changed = (list: unknown) => rowsShape.parse(list).map((row) => changeRow(row, change))
    if (Array.isArray(body)) return changed(body)
    const list = 'events' in body ? 'events' : 'data'
    return list in body ? { ...body, [list]: changed(body[list]) } : changeRow(body, change)
  },
})

/** A group has its markets nested. */
const inGroup = (row: Row, change: (row: Row) => Row): Row =>
  'markets' in row ? { ...row, markets: rowsShape.parse(row['markets']).map(change) } : change(row)

const inData = (row: Row, change: (row: Row) => Row): Row => ({
  ...row,
  data: change(z.record(z.string(), z.unknown()).parse(row['data'])),
})

/** The lists and markets that the sources of Limitless read. */
export const limitlessRoutes: readonly Route[] = [
  ofLimitless('limitless_markets', '/markets/active', limitless, inGroup),
  ofLimitless('limitless_odds', '/markets/active', limitless, inGroup),
  ofLimitless('limitless_resolutions', '/markets/*', limitless),
  ofLimitless('limitless_trades', '/markets/*', ['slug', 'tokens', 'tradeType', 'collateralToken']),
  ofLimitless('limitless_trades', '/markets/*/events', namesOf(eventRow)),
  ofLimitless('limitless_trades', '/markets/*/get-feed-events', namesOf(makerData), inData),
  ofLimitless('limitless_activity', '/portfolio/*/history', namesOf(fillRow)),
]

export const fieldsOf = ({ fields }: Route): readonly string[] => fields

const without = (row: Row, field: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== field))

/** The ways in which a field changes, as a new version of an upstream changes it. */
export const damages: Record<string, (row: Row, field: string) => Row> = {
  renamed: (row, field) => (field in row ? { ...without(row, field), [`${field}New`]: row[field] } : row),
  dropped: without,
  nulled: (row, field) => (field in row ? { ...row, [field]: null } : row),
  retyped: (row, field) => (field in row ? { ...row, [field]: retyped(row[field]) } : row),
}

/** A number as a text and a text as a number; anything else as an object. */
function retyped(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.length
  return { value }
}
