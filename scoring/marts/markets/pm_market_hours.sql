-- The odds and the volume of a market by the hour, over the 30 days before the clock, the time line of a market.
-- `yes_price` is the first available of: the last middle of the book in the hour (`core.odds`), the last trade of
-- outcome 0, 1 minus that of outcome 1 in a market of two outcomes, and the venue's own figure. `bid` and `ask` are of
-- the last observed book of the hour. An hour with neither an observation nor a trade has no row.
-- columns: market_id, hour_at; yes_price?, bid?, ask?, volume DECIMAL(18,2), n_matches
with books as (
  select
    o.market_id,
    date_trunc('hour', o.ts) as hour_at,
    arg_max(o.mid, o.ts) as mid,
    arg_max(struct_pack(bid := o.bid, ask := o.ask), o.ts) as book,
    arg_max(o.shown, o.ts) as shown
  from core.odds o
  cross join core.clock c
  where o.ts > c.as_of - interval 720 hours
  group by o.market_id, date_trunc('hour', o.ts)
),
bars as (
  select
    b.market_id,
    b.hour_at,
    any_value(b.close_usd) filter (b.outcome = 0) as close_0,
    any_value(b.close_usd) filter (b.outcome = 1) as close_1,
    sum(b.volume_usd) as volume_usd,
    sum(b.n_matches) as n_matches
  from core.bars_1h b
  cross join core.clock c
  where b.hour_at > c.as_of - interval 720 hours
  group by b.market_id, b.hour_at
),
hours as (
  select *
  from books
  full join bars using (market_id, hour_at)
)
select
  h.market_id,
  h.hour_at,
  coalesce(h.mid, h.close_0, case when m.n_outcomes = 2 then 1 - h.close_1 end, h.shown) as yes_price,
  h.book.bid as bid,
  h.book.ask as ask,
  coalesce(h.volume_usd, 0)::decimal(18, 2) as volume,
  coalesce(h.n_matches, 0) as n_matches
from hours h
join core.market_states m on m.market_id = h.market_id
