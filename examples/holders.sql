-- The holders of a market's outcomes at an instant, the largest first.
--
-- `core.holders('polymarket:0x…', instant := '2026-01-31 12:00:00')` gives the same for a known market. Shares of
-- resolved markets are held until they are redeemed. `is_complete` is false for a trader whose moves of the outcome may
-- be missing.
with
busiest as (
  select f.market_id, quantile_disc(f.ts, 0.5) as at_ts
  from core.fills f
  group by f.market_id
  order by count(*) desc, f.market_id
  limit 1
),
-- Replace this by a market and an instant: select 'polymarket:0x…' as market_id, timestamp '2026-01-31 12:00:00' as
-- at_ts.
chosen as (
  from busiest
),
held as (
  select h.market_id, c.at_ts, h.outcome, h.trader, arg_max(h.size, h.ordinal) as size
  from chosen c
  join core.holdings h on h.market_id = c.market_id and h.ts <= c.at_ts
  group by h.market_id, c.at_ts, h.outcome, h.trader
)
select h.market_id, h.at_ts, o.label, h.trader, h.size, p.is_complete
from held h
join core.outcomes o on o.market_id = h.market_id and o.outcome = h.outcome
join core.positions p on p.market_id = h.market_id and p.outcome = h.outcome and p.trader = h.trader
where h.size > 0
order by h.size desc, h.trader, o.label;
