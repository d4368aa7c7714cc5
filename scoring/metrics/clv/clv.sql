-- A trader's closing line value: the closing price minus the entry price in percentage points a share, shrunk towards
-- the mean of the trader's role (empirical Bayes). It does not use outcomes, so that it separates skill from luck with
-- far fewer events than profit. The kinds are scored separately (`metrics.clv_fills`), in windows of 30 days, 90 days
-- and all time, by the time of each fill's close.
--
--   x, w   of each cluster, the fills of a category with closes of one UTC day: the mean of their edges, and the cash
--          at risk (`metrics.clv_clusters`)
--   W      min(w, the 95th percentile of the trader's own w); the percentile lies at 0.95 (n - 1) of the n sorted ones,
--          counted from 0, with linear interpolation
--   raw    sum W x / sum W;   n_eff = (sum W)^2 / sum W^2;   p (1 - p) of the trader: sum W^2 p (1 - p) / sum W^2
--   v_j    n / (n - 1) sum W^2 (x - raw)^2 / (sum W)^2;   its expectation is s2 f_j / n_eff,
--          f_j = n / (n - 1) (1 - 2 sum W^3 / (sum W sum W^2) + sum W^2 / (sum W)^2)
--   s2     sum n_eff^2 v_j / sum n_eff f_j over traders with at least 10 clusters;   s0^2(p) = s2_price p (1 - p), with
--          s2_price = sum n_eff^2 v_j / sum n_eff f_j p (1 - p) over the same
--   s2_j   (4 s0^2(p) + (n_eff - 1) n_eff v_j / f_j) / (4 + n_eff - 1): the trader's own noise, shrunk towards the
--          noise of its prices;   v = s2_j / n_eff, the variance of raw due to chance
--   t      the 97.5th percentile of Student's t with 4 + n_eff - 1 degrees of freedom; from raw - t sqrt(v)
--          (`raw_lower_points`) to raw + t sqrt(v) is the 95 % interval of the true value by the trader's clusters
--          alone
--   mu     the mean of the role: a regression of raw on the share of the risk that the trader made, by itself, times
--          both_sides_share and times 1 - net_share (`metrics.trader_styles`), by 1 / (v + tau2), over traders with
--          n_eff >= 10;   mu_se its standard error
--   tau2   the variance of skill: the mean of (raw - mu)^2 - v over the traders of the role with a like n_eff, in up to
--          five parts of 30 and more, each trader alike; at least the error of this mean
--   clv    mu + B (raw - mu), B = tau2 / (tau2 + v);   se = sqrt(B v + (1 - B)^2 mu_se^2)
--   skill  clv - max(0, mu);   skill_se = sqrt(B v + B^2 mu_se^2) if mu is above 0, otherwise se
--   p_above, p_below  the chance of such a raw for a trader who is not above max(0, mu), or not below min(0, mu), by
--          Student's t; `metrics.clv_scores` has the false discovery rates of a trader over both kinds
--
-- If no trader has 10 clusters, or they do not vary, chance cannot be estimated and no trader has a score.
-- `scored_share` is the share of scored fills among the trader's fills of that kind whose close lies in the window; for
-- all time, among all of them. `n_resolved` counts the scored fills whose market resolved before their window was over.
-- The page on closing line value defines each step (docs/closing-line-value.md).
-- columns: trader, range, kind; clv_points DECIMAL(18,12), raw_points DECIMAL(18,12), raw_lower_points DECIMAL(18,12),
-- raw_upper_points DECIMAL(18,12), mu_points DECIMAL(18,12), mu_se DOUBLE, v DOUBLE, tau2 DOUBLE, se DOUBLE,
-- skill_points DECIMAL(18,12), skill_se DOUBLE, p_above DOUBLE, p_below DOUBLE, n_clusters, n_eff DOUBLE, n_resolved, scored_share
with windows as (
  select
    r.range,
    coalesce(c.as_of - r.length, timestamp '0001-01-01') as from_at,
    case when r.length is null then timestamp '9999-01-01' else c.as_of end as to_at
  from (values ('30d', interval 720 hours), ('90d', interval 2160 hours), ('all', null)) as r (range, length)
  cross join core.clock c
),
counted as (
  select
    f.trader_index,
    f.kind,
    w.range,
    count(*) as n_fills,
    count(*) filter (f.left_out is null) as n_scored,
    count(*) filter (f.left_out is null and f.is_resolved) as n_resolved
  from metrics.clv_edges f
  join windows w on f.close_at > w.from_at and f.close_at <= w.to_at
  group by f.trader_index, f.kind, w.range
)
select
  t.trader,
  s.range,
  s.kind,
  s.clv_points,
  s.raw_points,
  s.raw_lower as raw_lower_points,
  s.raw_upper as raw_upper_points,
  s.mu_points,
  s.mu_se,
  s.v,
  s.tau2,
  s.se,
  s.skill_points,
  s.skill_se,
  s.p_above,
  s.p_below,
  s.n_clusters,
  s.n_eff,
  coalesce(c.n_resolved, 0) as n_resolved,
  coalesce(c.n_scored / c.n_fills, 0) as scored_share
from metrics.clv_shrunk s
join core.ledger_traders t on t.trader_index = s.trader_index
left join counted c on c.trader_index = s.trader_index and c.kind = s.kind and c.range = s.range
