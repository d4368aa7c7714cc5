-- The closing line value that a trader is known by, of each window: that at scheduled starts where it rests on at least 10
-- events' worth (`n_eff`), else the markouts of 24 hours (`metrics.clv`).
-- columns: trader, range; kind, clv_points DECIMAL(18,12), se DOUBLE, n_eff DOUBLE, scored_share
select trader, range, kind, clv_points, se, n_eff, scored_share
from metrics.clv
where (kind = 'event_start') = coalesce(
  (select s.n_eff >= 10 from metrics.clv s where s.trader = clv.trader and s.range = clv.range and s.kind = 'event_start'),
  false
)
