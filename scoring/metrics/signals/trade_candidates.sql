-- The trades of the last hour by traders of `metrics.signal_traders`, with the chance of a trade of that size (`p`). A
-- trade below the trader's threshold has p = 1. Trades of a trader with itself do not count.
-- columns: trader, market_id, outcome, side, tx; ts, usd, price, p DOUBLE
with recent as (
  select t.trader, t.market_id, o.outcome, t.side, t.tx, t.ts, t.role, t.size, t.price, t.cash_usd
  from staging.tape t
  join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
  where t.role <> 'block' and t.ts > (select as_of - interval 1 hour from core.clock)
    and t.trader in (select s.trader from metrics.signal_traders s)
),
trades as (
  select
    trader,
    market_id,
    outcome,
    side,
    tx,
    max(ts) as ts,
    sum(coalesce(cash_usd, (size::decimal(24, 6) * price)::decimal(38, 6))) as usd,
    sum(size) as size,
    count(distinct role) as n_roles
  from recent
  group by trader, market_id, outcome, side, tx
)
select
  t.trader,
  t.market_id,
  t.outcome,
  t.side,
  t.tx,
  t.ts,
  t.usd,
  least(t.usd::double / t.size::double, 1) as price,
  case
    when t.usd < s.threshold_usd then 1
    else s.tail_share::double
      * power(s.tail_scale / (s.tail_scale + ln(t.usd::double / s.threshold_usd::double)), s.tail_shape)
  end as p
from trades t
join metrics.signal_traders s on s.trader = t.trader
where t.n_roles = 1 and t.size > 0
