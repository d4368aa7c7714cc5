-- The move of a market's mid over the last hour, in logits, with its chance `p` by Student's t with 4 degrees of
-- freedom, both sides. Only moves count that begin in [0.03, 0.97], in an hour with a volume of at least 1,000 USD and
-- 3 times the median hour. P(|T| > t) = (1 - s)^2 (2 + s) / 2 with s = t / sqrt(4 + t^2).
-- columns: market_id; ts, before_price DECIMAL(9,6), price, hour_usd, t DOUBLE, p DOUBLE
with mids as (
  select
    o.market_id,
    arg_max(o.mid, o.ts) as price,
    max(o.ts) as ts,
    arg_max(o.mid, o.ts) filter (o.ts <= c.as_of - interval 1 hour) as before_price
  from core.odds o
  cross join core.clock c
  where o.mid is not null and o.market_id in (select s.market_id from metrics.signal_markets s)
  group by o.market_id
),
traded as (
  select t.market_id, sum(coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))) as usd
  from staging.tape t
  where t.role = 'taker' and t.ts > (select as_of - interval 1 hour from core.clock)
  group by t.market_id
),
moves as (
  select
    m.market_id,
    m.ts,
    m.before_price,
    m.price,
    v.usd,
    (
      ln(greatest(least(m.price, 0.999), 0.001)::double / (1 - greatest(least(m.price, 0.999), 0.001)::double))
      - ln(m.before_price::double / (1 - m.before_price::double))
    ) / s.move_scale as t
  from mids m
  join metrics.signal_markets s on s.market_id = m.market_id
  join traded v on v.market_id = m.market_id
  where m.before_price between 0.03 and 0.97 and v.usd >= greatest(1000, 3 * s.median_hour_usd)
)
select
  market_id,
  ts,
  before_price,
  price,
  usd as hour_usd,
  t,
  -- 1 - s = (4 / (4 + t^2)) / (1 + s), without the loss of digits near 1.
  power(4 / (4 + t * t) / (1 + abs(t) / sqrt(4 + t * t)), 2) * (2 + abs(t) / sqrt(4 + t * t)) / 2 as p
from moves
