import { z } from 'zod'

import { gammaEvent, gammaMarket, usualPrices } from '#activities/markets/polymarket/wire/gamma_rows.ts'
import { resolutionRow } from '#activities/markets/polymarket/wire/resolution_rows.ts'
import { tradeFields } from '#activities/markets/polymarket/wire/trade_rows.ts'

type Row = Record<string, unknown>
type Body = Record<string, unknown>

/** A list of an upstream: the source that reads it, and the key of its rows. */
export type Route = {
  source: string
  path: string
  list: string
  fields: readonly string[]
  change: (body: Body, change: (row: Row) => Row) => Body
}

const routeOf = (source: string, path: string, list: string, fields: readonly string[]): Route => ({
  source,
  path,
  list,
  fields,
  change: (body, change) => ({
    ...body,
    [list]: z.array(z.record(z.string(), z.unknown())).parse(body[list]).map(change),
  }),
})

/** The fields of a shape before its transformations. */
function namesOf(shape: z.ZodType): string[] {
  if (shape instanceof z.ZodObject) return Object.keys(shape.shape)
  if (shape instanceof z.ZodPipe) return namesOf(shape.in as z.ZodType)
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
