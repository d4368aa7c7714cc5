-- The holders of a market's outcomes at an instant, the largest first.
--
-- Shares change by fills, splits and merges. Conversions of neg-risk shares and redemptions are left out, so the chosen
-- market has no neg-risk group and the instant lies before its resolution. `is_complete` is false for a trader whose
-- splits and merges may be missing.
with
busiest as (
  select f.market_id, quantile_disc(f.ts, 0.5) as at_ts
  from core.fills f
  join core.markets m on m.market_id = f.market_id
  where m.neg_risk_id is null
  group by f.market_id
  order by count(*) desc, f.market_id
  limit 1
),
-- Replace this by a market and an instant: select 'polymarket:0x…' as market_id, timestamp '2026-01-31 12:00:00' as at_ts.
chosen as (
  from busiest
),
moves as (
  select f.market_id, f.trader, f.outcome, f.ts, case f.side when 'buy' then f.size else -f.size end as size
  from core.fills f
  union all
  select a.market_id, a.trader, o.outcome, a.ts, case a.kind when 'split' then a.size else -a.size end
  from staging.activity a
  join core.outcomes o on o.market_id = a.market_id
  where a.kind in ('split', 'merge')
)
select c.market_id, c.at_ts, o.label, v.trader, sum(v.size) as size, coalesce(any_value(h.is_complete), false) as is_complete
from chosen c
join moves v on v.market_id = c.market_id and v.ts <= c.at_ts
join core.outcomes o on o.market_id = v.market_id and o.outcome = v.outcome
left join core.history_completeness h on h.trader = v.trader
group by c.market_id, c.at_ts, o.label, v.trader
having sum(v.size) > 0
order by size desc, v.trader, o.label;
