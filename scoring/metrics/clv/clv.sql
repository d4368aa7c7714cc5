-- A trader's closing line value: the closing price minus the entry price in percentage points a share, shrunk towards
-- the population mean (empirical Bayes, DerSimonian-Laird). It does not use outcomes, so that it separates skill from
-- luck with far fewer events than profit. The kinds are scored separately (`metrics.clv_fills`), in windows of 30
-- days, 90 days and all time, by the time of an event's last close.
--
--   x, w   of each event: the mean of its fills' edges, and the cash at risk (`metrics.clv_events`)
--   W      min(w, the 95th percentile of the trader's own w); the percentile lies at 0.95 (n - 1) of the n sorted ones,
--          counted from 0, with linear interpolation
--   raw    sum W x / sum W;   n_eff = (sum W)^2 / sum W^2
--   s2     sum n_eff^2 v / sum n_eff over traders with at least 10 events, v = n / (n - 1) sum W^2 (x - raw)^2 / (sum W)^2
--   v      s2 / n_eff, the variance of raw due to chance
--   tau2   by DerSimonian and Laird: max(0, (Q - (J - 1)) / (A - sum a^2 / A)) over the J traders, a = 1 / v, A = sum a,
--          Q = sum a (raw - m)^2, m = sum a raw / A
--   mu     sum raw / (v + tau2) / sum 1 / (v + tau2)
--   clv    mu + tau2 / (tau2 + v) (raw - mu);   se = sqrt(tau2 v / (tau2 + v))
--
-- If no trader has 10 events, chance cannot be estimated and no trader has a score. If tau2 is 0, traders differ by
-- no more than chance. Then all have clv mu and se 0, which means that they cannot be distinguished, not that mu is
-- certain. `scored_share` is the share of scored fills among the trader's fills of that kind whose close lies in the
-- window; for all time, among all of them.
-- columns: trader, range, kind; clv_points DECIMAL(18,12), raw_points DECIMAL(18,12), se DOUBLE, n_events, n_eff DOUBLE, scored_share
with windows as (
  select
    r.range,
    coalesce(c.as_of - r.length, timestamp '0001-01-01') as from_at,
    case when r.length is null then timestamp '9999-01-01' else c.as_of end as to_at
  from (values ('30d', interval 720 hours), ('90d', interval 2160 hours), ('all', null)) as r (range, length)
  cross join core.clock c
),
counted as (
  select f.trader, f.kind, w.range, count(*) as n_fills, count(*) filter (f.left_out is null) as n_scored
  from metrics.clv_fills f
  join windows w on f.close_at > w.from_at and f.close_at <= w.to_at
  group by f.trader, f.kind, w.range
)
select
  t.trader,
  s.range,
  s.kind,
  s.clv as clv_points,
  s.raw as raw_points,
  s.se,
  s.n_events,
  s.n_eff,
  coalesce(c.n_scored / c.n_fills, 0) as scored_share
from metrics.clv_shrunk s
join core.ledger_traders t on t.trader_index = s.trader_index
left join counted c on c.trader = t.trader and c.kind = s.kind and c.range = s.range
