-- The closing line value of a trader in each window (`metrics.clv`). The kind is `event_start` if its effective sample
-- (`n_eff`) is at least 10 clusters, otherwise `markout_24h`. `is_trusted` is false if a guard of the kind does not
-- hold (`metrics.clv_guards`): the value then means nothing.
-- columns: trader, range; kind, clv_points DECIMAL(18,12), se DOUBLE, n_eff DOUBLE, q? DOUBLE, q_below? DOUBLE, q_wide? DOUBLE,
-- scored_share, is_trusted
with distrusted as (
  select distinct kind
  from metrics.clv_guards
  where is_held = false
)
select
  trader,
  range,
  kind,
  clv_points,
  se,
  n_eff,
  q,
  q_below,
  q_wide,
  scored_share,
  kind not in (select d.kind from distrusted d) as is_trusted
from metrics.clv
where (kind = 'event_start') = coalesce(
  (select s.n_eff >= 10 - 1e-9 from metrics.clv s where s.trader = clv.trader and s.range = clv.range and s.kind = 'event_start'),
  false
)
