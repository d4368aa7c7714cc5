-- The hourly candles of an outcome: first, highest, lowest and last price of the takers' fills, and their volume.
with
busiest as (
  select market_id, outcome
  from core.bars_1h
  group by market_id, outcome
  order by sum(n_matches) desc, market_id, outcome
  limit 1
),
-- Replace this by an outcome: select 'polymarket:0x…' as market_id, 0 as outcome.
chosen as (
  from busiest
)
select b.market_id, b.outcome, b.hour_at, b.open_usd, b.high_usd, b.low_usd, b.close_usd, b.volume_usd
from chosen c
join core.bars_1h b on b.market_id = c.market_id and b.outcome = c.outcome
order by b.hour_at;
