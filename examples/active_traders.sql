-- The active traders of each UTC day, and the new traders among them.
with
firsts as (
  select trader, min(ts)::date as first_day
  from core.fills
  group by trader
)
select
  f.ts::date as day,
  count(distinct f.trader) as n_traders,
  count(distinct f.trader) filter (where n.first_day = f.ts::date) as n_new
from core.fills f
join firsts n on n.trader = f.trader
where f.trader <> ''
group by f.ts::date
order by day;
