-- The closing line value of a trader in each window: that at scheduled starts if its effective sample (`n_eff`) is at
-- least 10 events, otherwise that of the 24-hour markouts (`metrics.clv`).
-- columns: trader, range; kind, clv_points DECIMAL(18,12), se DOUBLE, n_eff DOUBLE, scored_share
select trader, range, kind, clv_points, se, n_eff, scored_share
from metrics.clv
where (kind = 'event_start') = coalesce(
  (select s.n_eff >= 10 from metrics.clv s where s.trader = clv.trader and s.range = clv.range and s.kind = 'event_start'),
  false
)
