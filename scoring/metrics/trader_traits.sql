-- What a trader's archetype rests on. Until closing line value is scored there are two: `unproven` with fewer than 20
-- fills or 10 closed markets, else `generalist`.
-- columns: trader; n_fills, n_closed, archetype
with fills as (
  select trader, count(*) as n_fills
  from staging.fills
  group by trader
)
select
  r.trader,
  coalesce(f.n_fills, 0) as n_fills,
  r.n_closed,
  case when coalesce(f.n_fills, 0) < 20 or r.n_closed < 10 then 'unproven' else 'generalist' end as archetype
from metrics.trader_results r
left join fills f on f.trader = r.trader
where r.range = 'all'
