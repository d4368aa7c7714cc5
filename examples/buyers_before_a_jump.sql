-- The buyers before a jump: the largest rise of an outcome's price between two hours with trades, and its early buyers.
-- They bought the outcome in the six hours before. Shown are the shares, the average price, and the gain at the later
-- price.
with
hours as (
  select
    market_id,
    outcome,
    date_trunc('hour', ts) as hour_at,
    round(sum(cash_usd) / sum(size), 6) as price_usd
  from core.fills
  where role = 'taker' and size > 0
  group by market_id, outcome, hour_at
),
rises as (
  select
    *,
    price_usd - lag(price_usd) over (partition by market_id, outcome order by hour_at) as rise_usd
  from hours
),
largest as (
  select r.market_id, r.outcome, r.hour_at, r.price_usd
  from rises r
  where exists (
    select 1
    from core.fills f
    where f.market_id = r.market_id and f.outcome = r.outcome and f.side = 'buy'
      and f.ts < r.hour_at and f.ts >= r.hour_at - interval 6 hours
  )
  order by r.rise_usd desc nulls last, r.market_id, r.outcome
  limit 1
),
-- Replace this by a jump: a market_id, an outcome, the hour_at of the rise and the price_usd after it.
chosen as (
  from largest
)
select
  c.market_id,
  c.outcome,
  c.hour_at,
  f.trader,
  count(*) as n_fills,
  sum(f.size) as size,
  round(sum(f.cash_usd) / sum(f.size), 6) as paid_usd,
  round(sum(f.size) * c.price_usd - sum(f.cash_usd), 6) as gain_usd
from chosen c
join core.fills f on f.market_id = c.market_id and f.outcome = c.outcome and f.side = 'buy'
where f.ts < c.hour_at and f.ts >= c.hour_at - interval 6 hours
group by c.market_id, c.outcome, c.hour_at, c.price_usd, f.trader
order by gain_usd desc, f.trader;
