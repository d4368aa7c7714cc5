-- The usual movement of an open market over its own hours of 7 days, which a move of its odds is compared with.
--
--   move_scale       the largest of: 1.4826 times the median absolute deviation of the hourly changes of logit(mid);
--                    their 95th percentile in size over 2.776, which counts in markets that mostly stand still; and
--                    0.05
--   n_hours          hours with a mid at their begin and end; a move needs 24
--   median_hour_usd  median of the volume of an hour, hours without a trade included
--   symbols          the assets that the question names.
-- columns: market_id; question, symbols VARCHAR[], move_scale DOUBLE, n_hours, median_hour_usd
with hours as (
  select unnest(generate_series(as_of - interval 168 hours, as_of, interval 1 hour)) as ts
  from core.clock
),
mids as (
  select o.market_id, o.ts, greatest(least(o.mid, 0.999), 0.001)::double as mid
  from core.odds o
  cross join core.clock c
  where o.mid is not null and o.ts > c.as_of - interval 336 hours
),
markets as (
  select m.market_id, m.question, m.symbols
  from core.markets m
  where m.is_open and m.market_id in (select market_id from mids)
),
seen as (
  select g.market_id, g.ts, ln(o.mid / (1 - o.mid)) as logit
  from (select market_id, ts from markets cross join hours) g
  asof join mids o on o.market_id = g.market_id and o.ts <= g.ts
),
moves as (
  select market_id, logit - lag(logit) over (partition by market_id order by ts) as move
  from seen
),
scales as (
  select
    market_id,
    greatest(1.4826 * mad(move), quantile_cont(abs(move), 0.95) / 2.776, 0.05) as move_scale,
    count(move) as n_hours
  from moves
  group by market_id
),
traded as (
  select
    t.market_id,
    epoch_us(c.as_of - t.ts) // 3600000000 as hours_ago,
    sum(coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))) as usd
  from staging.tape t
  cross join core.clock c
  where t.role = 'taker' and t.ts > c.as_of - interval 168 hours
  group by all
),
volumes as (
  select market_id, list(usd order by usd desc) as usd
  from traded
  group by market_id
)
select
  m.market_id,
  m.question,
  m.symbols,
  s.move_scale,
  s.n_hours,
  -- The upper median of 168 hours: 0 with trades in fewer than 84 of them.
  coalesce(v.usd[84], 0) as median_hour_usd
from markets m
join scales s on s.market_id = m.market_id
left join volumes v on v.market_id = m.market_id
where s.n_hours >= 24
