import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

/** What the score of a trader follows from: fills, their closes, markets, and the evidence of words. */
export type Inputs = {
  at: number
  closed: Closed[]
  fills: Fill[]
  markets: ReadonlyMap<string, Market>
  evidence: Evidence[]
}

const number = z.coerce.number()
const closedShape = z.object({
  trader: z.string(),
  kind: z.string(),
  market: z.string(),
  outcome: number,
  side: z.string(),
  role: z.string().nullable(),
  category: z.string(),
  ts: number,
  closeAt: number.nullable(),
  close: number.nullable(),
  edge: number.nullable(),
  risk: number,
  price: number,
  isResolved: z.boolean(),
  isScored: z.boolean(),
})
const fillShape = z.object({
  trader: z.string(),
  market: z.string(),
  outcome: number,
  side: z.string(),
  role: z.string().nullable(),
  size: number,
  cash: number,
})
const marketShape = z.object({
  market: z.string(),
  n_outcomes: number,
  resolvedAt: number.nullable(),
  payout: number.nullable(),
})
const evidenceShape = z.object({
  trader: z.string(),
  n_fills: number,
  n_closed: number,
  sets: number,
  dips: number,
  rises: number,
  longshots: number,
  favorites: number,
  volume: number,
  volumePercent: number,
  roi: number.nullable(),
})

export type Closed = z.infer<typeof closedShape>
export type Fill = z.infer<typeof fillShape>
export type Market = z.infer<typeof marketShape>
export type Evidence = z.infer<typeof evidenceShape>

/** Reads the tables that docs/closing-line-value.md takes a score from. Sizes and cash are whole millionths. */
export async function readInputs(connection: DuckDBConnection): Promise<Inputs> {
  const read = async <T>(shape: z.ZodType<T>, sql: string): Promise<T[]> =>
    z.array(shape).parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
  const [clock] = await read(z.object({ at: number }), 'select epoch_us(as_of) as at from core.clock')
  const markets = await read(
    marketShape,
    `select m.market_id as market, n_outcomes, epoch_us(resolved_at) as "resolvedAt", o.payout::double as payout
    from core.markets m left join core.outcomes o on o.market_id = m.market_id and o.outcome = 0`,
  )
  return {
    at: clock?.at ?? Number.NaN,
    markets: new Map(markets.map((market) => [market.market, market])),
    closed: await read(
      closedShape,
      `select trader, kind, market_id as market, outcome, side, role, category, epoch_us(ts) as ts,
        epoch_us(close_at) as "closeAt", close_price::double as close, edge_points::double as edge,
        risk_usd::double as risk, price::double as price, is_resolved as "isResolved", left_out is null as "isScored"
      from metrics.clv_fills`,
    ),
    fills: await read(
      fillShape,
      `select trader, market_id as market, outcome, side, role, (size * 1000000)::bigint as size,
        (cash_usd * 1000000)::bigint as cash
      from core.fills where not is_self`,
    ),
    evidence: await read(
      evidenceShape,
      `select t.trader, t.n_fills, t.n_closed, set_share::double as sets, dip_share::double as dips,
        rise_share::double as rises, longshot_share::double as longshots, favorite_share::double as favorites,
        volume_90d_usd::double as volume, volume_90d_pct::double as "volumePercent", w.roi
      from metrics.trader_traits t join marts.pm_wallet w on w.address = t.trader`,
    ),
  }
}
