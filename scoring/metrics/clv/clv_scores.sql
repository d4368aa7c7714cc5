-- The closing line value of a trader in each window (`metrics.clv`). The kind is `event_start` if its effective sample
-- (`n_eff`) is at least 10 events, otherwise `markout_24h`.
-- columns: trader, range; kind, clv_points DECIMAL(18,12), se DOUBLE, n_eff DOUBLE, scored_share
select trader, range, kind, clv_points, se, n_eff, scored_share
from metrics.clv
where (kind = 'event_start') = coalesce(
  (select s.n_eff >= 10 from metrics.clv s where s.trader = clv.trader and s.range = clv.range and s.kind = 'event_start'),
  false
)
