import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import type { Tamper } from '#test/skill/build.ts'
import { load } from '#test/skill/load.ts'
import { readAccounts } from '#test/skill/validated.ts'
import { HOUR } from '#time.ts'

import { addressOf, plantedMatches } from './planted_people.ts'

/** Adds traders at the edges of the rules, books without a mid, income, parlays, and an account that was not read. */
export const addOddTraders: Tamper = async (connection) => {
  await addMatches(connection)
  for (const statement of [books, ...money]) await connection.run(statement)
  await readAccounts(connection)
  await connection.run(`delete from lake.coverage where key = '${addressOf('unread')}'`)
}

const marketShape = z.array(
  z.object({ id: z.string(), first: z.string(), second: z.string(), end_us: z.coerce.number() }),
)

/** The resolved markets, the last first, and the open ones; they end then, and these at the clock. */
async function marketsOf(connection: DuckDBConnection, isResolved: boolean): Promise<z.infer<typeof marketShape>> {
  const end = isResolved ? 'r.ts' : '(select as_of from core.clock)'
  const open = `r.ts is null and m.closed_at > (select as_of from core.clock)`
  const reader = await connection.runAndReadAll(`
    select m.market_id as id, m.token_ids[1] as first, m.token_ids[2] as second, epoch_us(${end}) as end_us
    from lake.markets m left join lake.resolutions r using (market_id)
    where m.created_at < ${end} - interval 60 hours and ${isResolved ? `r.payouts[1] <> 0.5` : open}
    order by end_us desc, id`)
  return marketShape.parse(reader.getRowObjectsJson())
}

async function addMatches(connection: DuckDBConnection): Promise<void> {
  const [resolved, open] = [await marketsOf(connection, true), await marketsOf(connection, false)]
  const rows = plantedMatches.flatMap(({ market, hours, legs }, number) => {
    const place = market < 0 ? open[-1 - market] : (resolved[market] ?? resolved.at(-1))
    if (place === undefined) throw new RangeError(`planted match: no market ${market}; expected a larger world`)
    return legs.map((leg) => ({
      ...leg,
      place,
      ts: place.end_us - Math.round(hours * 3600) * (HOUR / 3600),
      tx: `odd${number}`,
    }))
  })
  const whole = (amount: number): bigint => BigInt(Math.round(amount * 1e6))
  await load(connection, 'odd', {
    market_id: ['varchar', rows.map(({ place }) => place.id)],
    token_id: ['varchar', rows.map(({ place, outcome }) => (outcome === 0 ? place.first : place.second))],
    ts_us: ['bigint', rows.map(({ ts }) => BigInt(ts))],
    tx: ['varchar', rows.map(({ tx }) => tx)],
    trader: ['varchar', rows.map(({ trader }) => addressOf(trader))],
    side: ['varchar', rows.map(({ side }) => side)],
    role: ['varchar', rows.map(({ role }) => role)],
    price: ['bigint', rows.map(({ price }) => whole(price))],
    size: ['bigint', rows.map(({ size }) => whole(size))],
    seq: ['integer', rows.map((_, number) => 1_000_000 + number)],
  })
  await connection.run(`insert into lake.fills by name
    select * exclude (ts_us) replace (price * 0.000001 as price, size * 0.000001 as size),
      make_timestamp(ts_us) as ts, 'polymarket' as venue, 0 as fee_usd, 'world' as source
    from odd`)
}

/** Books of the open markets: with a mid, wide, without a bid, crossed, empty, old, or at 0; one of nine has none. */
const books = `insert into lake.quotes by name
  with numbered as (
    select market_id, (row_number() over (order by market_id)) % 9 as n from lake.markets
    where closed_at > (select as_of from core.clock)
  )
  select market_id, (select as_of from core.clock) - case n when 7 then interval 30 hours else interval 10 minutes end as ts,
    0 as period_s, 'polymarket' as venue, 'world' as source,
    case n when 1 then 0.30 when 3 then 0.62 when 4 then 0.50 when 5 then 0.30 when 7 then 0.70 end as bid,
    case n when 1 then 0.60 when 2 then 0.30 when 3 then 0.58 when 4 then 0.60 when 5 then 0.32 when 7 then 0.72 when 8 then 0.04
    end as ask,
    case n when 2 then 0.90 when 3 then 0.71 when 6 then 0.50 end as venue_price
  from numbered where n > 0`

const money = [
  `insert into lake.activity by name
    select 'polymarket' as venue, '${addressOf('earner')}' as trader, (select as_of from core.clock) - interval 9 days as ts,
      'odd' || kind as tx, kind, '' as market_id, '' as token_id, 0 as seq, usd as size, usd as cash_usd, 'world' as source
    from (values ('reward', 12.5), ('rebate', 0.25), ('deposit', 1000), ('withdrawal', 300)) as t (kind, usd)`,
  `insert into lake.fills by name
    select 'polymarket' as venue, 'parlay' as token_id, (select as_of from core.clock) - interval 9 days as ts,
      'oddparlay' || side as tx, '${addressOf('earner')}' as trader, side, 0.25 as price, size, 2000000 as seq,
      'polymarket:0x03${'ab'.repeat(30)}' as market_id, 'taker' as role, size / 4 as cash_usd, 0.01 as fee_usd, 'world' as source
    from (values ('buy', 80), ('sell', 20)) as t (side, size)`,
]
