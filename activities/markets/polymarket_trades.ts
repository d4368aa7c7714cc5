import { z } from 'zod'

import { HttpError, type Get } from '#activities/http.ts'
import { defineSource, type PlanContext, type PullContext, type Pulled, type Refused } from '#activities/source.ts'
import type { Micros } from '#lake/columns.ts'
import type { Unit } from '#lake/unit.ts'

import { notional, numberedFills, toFill, tradeRow, withRoles, type Trade } from './fills.ts'
import { dataPages, offsetListing } from './paging.ts'
import { conditionId, idOf, nativeId, parseRows, VENUE } from './polymarket.ts'
import { inPathOrder, unitOf } from './units.ts'

const DAY = 86_400_000_000
/** v2 shows a market's last three years, whatever is asked; a day less, since where it begins is not documented. */
const WINDOW = (3 * 365 - 1) * DAY

export const polymarketTrades = defineSource({
  name: 'polymarket_trades',
  doc:
    'All fills of a market, from its creation to its resolution: the Data API’s `/v2/trades?condition=`, read twice, ' +
    'with takers alone and with all, so that each fill is marked as a taker’s or a maker’s. Cursors are followed to ' +
    'their end. Where v2 is absent, v1’s `/trades?market=` is read by offset, which shows no more than the newest ' +
    '10,000 rows: then the unit is *unproved*. So is a market older than the three years that v2 shows. The venue gives ' +
    'no fill id: equal rows are numbered, never merged.',
  part: VENUE,
  datasets: ['fills'],
  unit: 'life',
  precedence: 10,
  // The venue's caches hold a page of trades for five minutes.
  lag_s: 300,
  settle_s: 86_400,
  grid_s: 60,
  host: 'polymarket_data',
  typical: { requests: 4, rows: 1_500, bytes: 2_000_000 },
  plan,
  pull,
})

const source = { name: 'polymarket_trades', unit: 'life', part: VENUE } as const

const lifeShape = z.object({
  market_id: z.string(),
  from_us: z.bigint(),
  to_us: z.bigint().nullable(),
  is_in: z.boolean(),
})

/** A market lives from its creation (0 where unknown) to its resolution; until then it has no end. */
const LIVES = `
  with described as (
    select market_id, max(created_at) as created_at, max(closed_at) as closed_at
    from lake.markets where venue = '${VENUE}' group by market_id
  ), resolved as (
    select market_id, max(ts) as ts from lake.resolutions where venue = '${VENUE}' group by market_id
  ), lives as (
    select market_id, coalesce(epoch_us(created_at), 0) as from_us,
      case when ts is not null then epoch_us(greatest(closed_at, ts)) end as to_us
    from described left join resolved using (market_id)
  )
  select *, from_us < $to and (to_us is null or to_us > $from) as is_in from lives
  where is_in or market_id in (select unnest(string_split($ids, ',')))`

async function plan({ lake, from, to, keys }: PlanContext): Promise<Unit[]> {
  const asked = keys.map((key) => conditionId.parse(nativeId(key)))
  const ids = asked.map(idOf).join()
  const lives = await lake.query(LIVES, lifeShape, { from: BigInt(from), to: BigInt(to), ids })
  const units = new Map(
    lives.map(({ market_id, from_us, to_us, is_in }) => {
      const key = nativeId(market_id)
      const end = to_us === null ? null : Number(to_us)
      return [key, { is_in, unit: unitOf(source, { key, from: Number(from_us), to: end }) }]
    }),
  )
  if (keys.length === 0) return inPathOrder([...units.values()].map(({ unit }) => unit))
  // A market that is asked for by name may be one that the lake does not describe yet.
  const named = asked.map((key) => units.get(key) ?? { is_in: true, unit: unitOf(source, { key, from: 0 }) })
  return inPathOrder(named.filter(({ is_in }) => is_in).map(({ unit }) => unit))
}

/** What was read of a market: both listings, and what speaks against their being whole. */
type Listings = { all: Trade[]; takers: Trade[]; proof: string; doubt: string | null }

async function pull(unit: Unit, { get, at, until }: PullContext): Promise<Pulled> {
  const refused: Refused[] = []
  let listings: Listings
  try {
    listings = await readV2(get, unit, at, refused)
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error
    refused.length = 0
    try {
      listings = await readV1(get, unit, refused)
    } catch (second) {
      if (!(second instanceof HttpError) || second.status !== 404) throw second
      return { rows: { fills: [] }, refused: [], state: 'unavailable', reason: `${error.message}; ${second.message}` }
    }
  }
  const isDue = (trade: Trade) => trade.timestamp < until
  const { trades, strays } = withRoles(listings.all.filter(isDue), listings.takers.filter(isDue))
  const fills = [...trades, ...strays.map((trade) => ({ trade, role: 'taker' as const }))].map(({ trade, role }) =>
    toFill(trade, { role, cash_usd: notional(trade), fee_usd: null }),
  )
  const contradiction = strays.length > 0 ? `${strays.length} takers are missing from the listing of all` : null
  const doubts = [listings.doubt, contradiction].filter((doubt) => doubt !== null)
  return {
    rows: { fills: numberedFills(fills) },
    refused,
    proof: `${listings.proof}: ${trades.length} fills, ${trades.filter(({ role }) => role === 'taker').length} of takers`,
    ...(doubts.length > 0 ? { state: 'unproved', reason: doubts.join('; ') } : { state: 'complete' }),
  }
}

async function readV2(get: Get, unit: Unit, at: Micros, refused: Refused[]): Promise<Listings> {
  const read = async (taker_only: boolean): Promise<Trade[]> => {
    const trades: Trade[] = []
    // Without its own filter the venue leaves out fills of less than 0.01.
    const query = { condition: unit.key, taker_only, filter_type: 'TOKENS', filter_amount: 0, limit: 1000 }
    for await (const page of dataPages(get, '/v2/trades', query)) {
      for (const trade of ofMarket(page, unit, '/v2/trades', taker_only ? [] : refused)) trades.push(trade)
    }
    return trades
  }
  const all = await read(false)
  const takers = await read(true)
  const doubt = unit.from < at - WINDOW ? 'v2 shows three years, and the market may be older' : null
  return { all, takers, proof: 'v2, cursors followed to their end', doubt }
}

async function readV1(get: Get, unit: Unit, refused: Refused[]): Promise<Listings> {
  const read = (takerOnly: boolean) => offsetListing(get, '/trades', { market: unit.key, takerOnly, limit: 1000 })
  const all = await read(false)
  const takers = await read(true)
  return {
    all: ofMarket(all.rows, unit, '/trades', refused),
    takers: ofMarket(takers.rows, unit, '/trades', []),
    proof: 'v1, offsets followed to an empty page, the first page unchanged at the end',
    doubt: all.doubt ?? takers.doubt,
  }
}

/** The rows that are trades of this market. A filter that the venue ignores shows as rows of others: refused. */
function ofMarket(bodies: readonly unknown[], unit: Unit, path: string, refused: Refused[]): Trade[] {
  const shape = tradeRow.refine((trade) => trade.condition_id === unit.key, {
    path: ['condition_id'],
    message: `expected a trade of ${unit.key}`,
  })
  return parseRows(bodies, shape, { dataset: 'fills', path, refused })
}
