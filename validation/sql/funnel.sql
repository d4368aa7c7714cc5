-- The number of traders that pass each condition of the leaderboard by closing line value, as of the clock: all known
-- traders; those with a complete history; those not `unproven` and with a closed market; those with an effective
-- sample of at least 10 events.
-- columns: as_of; n_known, n_complete, n_proven, n_scored
with judged as (
  select
    r.is_complete,
    r.is_complete and t.archetype <> 'unproven' and r.n_closed > 0 as is_proven,
    coalesce(s.n_eff >= 10, false) as is_scored
  from metrics.trader_results r
  join metrics.trader_traits t on t.trader = r.trader
  left join metrics.clv_scores s on s.trader = r.trader and s.range = r.range
  where r.range = 'all'
)
select
  c.as_of,
  count(j.is_complete) as n_known,
  count(*) filter (j.is_complete) as n_complete,
  count(*) filter (j.is_proven) as n_proven,
  count(*) filter (j.is_proven and j.is_scored) as n_scored
from core.clock c
left join judged j on true
group by c.as_of
