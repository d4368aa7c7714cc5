-- A platform with a weight in a period. It is healthy if at least 80 % of the hours are covered and at least 200 posts
-- have credit. The hours are the whole ones up to the hour of the period's end.
-- columns: range, period, platform; covered_share, n_credited, is_healthy
with covered as (
  select p.range, p.period, h.platform, sum(h.covered_share)::double / any_value(p.n_hours) as covered_share
  from core.platform_hours h
  join metrics.attention_periods p
    on h.hour_at >= date_trunc('hour', p.from_at) and h.hour_at < date_trunc('hour', p.to_at)
  group by all
),
credited as (
  select p.range, p.period, m.platform, count(distinct m.post_id) as n_credited
  from core.mentions m
  join metrics.attention_periods p on m.ts > p.from_at and m.ts <= p.to_at
  where m.n_assets <= 8
  group by all
)
select
  range,
  period,
  platform,
  coalesce(c.covered_share, 0) as covered_share,
  coalesce(n.n_credited, 0) as n_credited,
  coalesce(c.covered_share >= 0.8 and n.n_credited >= 200, false) as is_healthy
from covered c
full join credited n using (range, period, platform)
semi join core.platforms w using (platform)
