-- The platforms behind mindshare: each platform with a weight, in a range and in the range of equal length before it.
-- Platforms that are healthy now give `mindshare_pct`; platforms that are healthy in both give `mindshare_delta`.
-- `metrics.platform_periods` defines healthy. A platform that was never read has zeros.
-- columns: range, platform; weight, covered_share, n_credited, is_healthy, was_healthy BOOLEAN
select
  r.range,
  p.platform,
  p.weight,
  coalesce(c.covered_share, 0) as covered_share,
  coalesce(c.n_credited, 0) as n_credited,
  coalesce(c.is_healthy, false) as is_healthy,
  coalesce(b.is_healthy, false) as was_healthy
from core.platforms p
cross join (select distinct range from metrics.attention_periods) r
left join metrics.platform_periods c on c.range = r.range and c.platform = p.platform and c.period = 'current'
left join metrics.platform_periods b on b.range = r.range and b.platform = p.platform and b.period = 'before'
