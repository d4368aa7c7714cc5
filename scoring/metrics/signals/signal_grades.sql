-- The hits of published signals by type, beside the hits of the same rule at other instants
-- (`metrics.signal_outcomes`).
--
--   baseline_rate  the mean over the signals that have a baseline
--   gap            the hit rate of these signals - baseline_rate, with the bounds of Wilson's 95 % interval of the hit
--                  rate. The interval takes signals as independent, and the baseline as known.
-- columns: type, horizon_s; n_signals, n_hits, hit_rate, baseline_rate?, gap? DOUBLE, gap_lower? DOUBLE, gap_upper? DOUBLE
with graded as (
  select g.*
  from lake.grades g
  cross join core.clock c
  where g.graded_at <= c.as_of
  -- Two nodes of which one lost its lease grade the same signal.
  qualify row_number() over (partition by g.id, g.horizon_s order by g.graded_at) = 1
),
counts as (
  select
    f.type,
    g.horizon_s,
    count(*) as n_signals,
    count(*) filter (g.is_hit) as n_hits,
    count(g.baseline_rate)::double as n,
    count(*) filter (g.is_hit and g.baseline_rate is not null) / nullif(count(g.baseline_rate), 0) as rate,
    sum(g.baseline_rate)::double / nullif(count(g.baseline_rate), 0) as baseline_rate
  from graded g
  join (select distinct id, type from lake.feed) f on f.id = g.id
  group by f.type, g.horizon_s
),
intervals as (
  select
    *,
    (rate + 1.959964 ** 2 / (2 * n)) / (1 + 1.959964 ** 2 / n) as middle,
    1.959964 * sqrt(rate * (1 - rate) / n + 1.959964 ** 2 / (4 * n * n)) / (1 + 1.959964 ** 2 / n) as half
  from counts
)
select
  type,
  horizon_s,
  n_signals,
  n_hits,
  n_hits / n_signals as hit_rate,
  baseline_rate,
  rate - baseline_rate as gap,
  middle - half - baseline_rate as gap_lower,
  middle + half - baseline_rate as gap_upper
from intervals
