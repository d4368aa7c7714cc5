import type { Tamper } from '#test/skill/build.ts'

/**
 * Adds to the lake what a simulated world lacks: books of every kind and looks at them, fills without reported cash,
 * block trades, unnamed takers, trades with oneself, a market of three outcomes, and one without a category. Two of
 * five books stay near 1, so that a guard breaks.
 */
export const addOddRows: Tamper = async (connection) => {
  for (const statement of [books, looks, unreported, blocks, unnamed, ownMakers, unsorted, ...threeWay]) {
    await connection.run(statement)
  }
}

/** A number from 0 to n - 1 that follows from a text. */
const drawn = (text: string, n: number): string => `(md5_number_lower(${text}) % ${n})::integer`

/** A row each five hours: too wide, crossed, without a bid or an ask, with an odd sum, or as it should be. */
const books = `insert into lake.quotes by name
  with hours as (
    select market_id, unnest(range(created_at, closed_at, interval 5 hours)) as ts from lake.markets
  ),
  drawn as (
    select *, ${drawn(`market_id`, 5)} as kind, ${drawn(`market_id || ts`, 12)} as fault,
      (200 + ${drawn(`ts || market_id`, 600)}) / 1000 as bid
    from hours
  )
  select market_id, ts, 0 as period_s, 'polymarket' as venue, 'world' as source,
    case when fault = 0 then null when kind = 0 then 0.985 when kind = 1 then 0.991 else bid end as bid,
    case when kind = 0 then 0.991 when kind = 1 then null when fault = 1 then bid - 0.001 when fault = 2 then bid + 0.101
      when fault < 6 then bid + 0.1 else bid + 0.005 end as ask
  from drawn`

const looks = `insert into lake.coverage by name
  select 'quotes' as dataset, 'looked at ' || ts as unit, 'polymarket' as part, '' as key, 10 as precedence,
    case ${drawn('ts::varchar', 3)} when 0 then 'done' when 1 then 'head' else 'missing' end as state,
    ts as from_at, ts as to_at, 0 as n_rows, 'world' as source, ts as checked_at
  from (select unnest(range(min(ts), max(ts), interval 4 hours)) as ts from lake.fills)`

const unreported = `update lake.fills set cash_usd = null where ${drawn(`'cash' || seq`, 20)} = 0`

const blocks = `insert into lake.fills by name
  select * replace ('block' as role, 'block' || tx as tx, size * 50 as size, cash_usd * 50 as cash_usd)
  from lake.fills where ${drawn(`'block' || seq`, 100)} = 0 and role = 'taker'`

const unnamed = `insert into lake.fills by name
  select * replace ('' as trader, 'unnamed' || tx as tx, size * 2 as size, cash_usd * 2 as cash_usd)
  from lake.fills where ${drawn(`'unnamed' || seq`, 40)} = 0 and role <> 'block'`

/** Makers' rows of a taker in its own transaction, at its price or far from it, of less, as many or more shares. */
const ownMakers = `insert into lake.fills by name
  select * exclude (part, far) replace ('maker' as role, 1000000 + seq as seq, least(0.97, price * far) as price, size * part as size,
    least(size * part, cash_usd * part * far) as cash_usd, 0 as fee_usd)
  from (
    select *, [0.4, 1, 1.5][1 + ${drawn(`'part' || seq`, 3)}]::decimal(9, 6) as part,
      [0.2, 1, 1.8][1 + ${drawn(`'far' || seq`, 3)}]::decimal(9, 6) as far
    from lake.fills where role = 'taker' and cash_usd is not null and ${drawn(`'own' || seq`, 30)} = 0
  )`

const unsorted = `update lake.markets set category = null
  where event_id = (select min(event_id) from lake.markets where starts_at is not null)`

/** Each fill of the busiest market with a start is also one of the new market, whose outcomes are drawn. */
const threeWay = [
  `create or replace temp table copied as
    select m.market_id from lake.markets m
    join lake.resolutions r on r.market_id = m.market_id
    join lake.fills f on f.market_id = m.market_id
    where m.starts_at is not null group by m.market_id order by count(*) desc, m.market_id limit 1`,
  `insert into lake.markets by name
    select * replace ('polymarket:three' as market_id, 'polymarket:three' as event_id, ['a', 'b', 'c'] as labels,
      ['three0', 'three1', 'three2'] as token_ids)
    from lake.markets where market_id in (from copied)`,
  `insert into lake.resolutions by name
    select * replace ('polymarket:three' as market_id, [0, 1, 0] as payouts) from lake.resolutions
    where market_id in (from copied)`,
  `insert into lake.fills by name
    select * replace ('polymarket:three' as market_id, 'three' || tx as tx, 'three' || ${drawn(`'three' || seq`, 3)} as token_id)
    from lake.fills where market_id in (from copied)`,
  `insert into lake.quotes by name
    select * replace ('polymarket:three' as market_id) from lake.quotes where market_id in (from copied)`,
]
