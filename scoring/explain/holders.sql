-- The holders of a market's outcomes at an instant, the largest first: `from core.holders('polymarket:0x…')`, or
-- `core.holders('polymarket:0x…', instant := '2026-01-31 12:00:00')`. An id counts in any case. Without an
-- instant it is the clock. A move of that instant counts. An unknown market has no rows. Shares of resolved markets are
-- held until they are redeemed. `is_complete` is false for a trader with sales of shares that were never seen bought.
-- parameter: market
-- options: instant
-- columns: outcome, label, trader, size, is_complete
with
asked as (
  select coalesce(v.venue || case v.id_case when 'upper' then upper(a.native) else lower(a.native) end, a.said) as market_id
  from (select market as said, substr(said, strpos(said, ':')) as native) a
  left join core.venues v on starts_with(lower(a.said), v.venue || ':')
),
at_instant as (
  select h.outcome, h.trader, arg_max(h.size, h.ordinal) as held
  from core.holdings h
  where h.market_id = (from asked) and h.ts <= coalesce(instant::timestamp, (select c.as_of from core.clock c))
  group by h.outcome, h.trader
)
select
  a.outcome,
  coalesce(o.label, '') as label,
  a.trader,
  a.held as size,
  p.is_complete
from at_instant a
join core.positions p on p.market_id = (from asked) and p.outcome = a.outcome and p.trader = a.trader
left join core.outcomes o on o.market_id = (from asked) and o.outcome = a.outcome
where a.held > 0
order by a.outcome, a.held desc, a.trader
