-- The attention of a tracked asset on a platform by UTC day, over the 30 days before the clock, the time line of an
-- asset. `day_pct` is 100 x its credit / the credit of all recognised assets on the platform that day
-- (`core.attention_hours`). The first day begins at the clock's time of day. A day without a post on the asset has no row.
-- column day_pct: Share of the asset in the credit of the platform that day, in percent
-- columns: symbol, day, platform; n_posts, n_clusters, credit, day_pct
with days as (
  select
    h.symbol,
    h.hour_at::date as day,
    h.platform,
    sum(h.n_posts) as n_posts,
    sum(h.n_clusters) as n_clusters,
    sum(h.credit) as credit
  from core.attention_hours h
  cross join core.clock c
  where h.hour_at > c.as_of - interval 720 hours
  group by h.symbol, h.hour_at::date, h.platform
),
shares as (
  select *, sum(credit) over (partition by day, platform) as total
  from days
)
select
  symbol,
  day,
  platform,
  n_posts,
  n_clusters,
  credit,
  case when total > 0 then (100 * credit::double / total::double)::decimal(9, 6) else 0 end as day_pct
from shares
semi join core.assets using (symbol)
