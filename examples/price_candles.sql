-- The hourly candles of an outcome: first, highest, lowest and last price of the takers' fills, and their volume.
with
busiest as (
  select market_id, outcome
  from core.fills
  where role = 'taker'
  group by market_id, outcome
  order by count(*) desc, market_id, outcome
  limit 1
),
-- Replace this by an outcome: select 'polymarket:0x…' as market_id, 0 as outcome.
chosen as (
  from busiest
)
select
  f.market_id,
  f.outcome,
  date_trunc('hour', f.ts) as hour_at,
  first(f.price order by f.ts, f.tx, f.seq, f.trader) as open_usd,
  max(f.price) as high_usd,
  min(f.price) as low_usd,
  last(f.price order by f.ts, f.tx, f.seq, f.trader) as close_usd,
  sum(f.cash_usd) as volume_usd
from chosen c
join core.fills f on f.market_id = c.market_id and f.outcome = c.outcome
where f.role = 'taker'
group by f.market_id, f.outcome, hour_at
order by hour_at;
