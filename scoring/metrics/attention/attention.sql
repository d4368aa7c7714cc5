-- The mindshare and tone of an asset over 7 or 30 days. Symbol `*` is all recognised assets outside the universe.
-- Platform `*` is the mean over healthy platforms (`metrics.platform_periods`) by their weights (`core.platforms`); it
-- has no rows without one.
--   mindshare_pct   100 x the share of the asset in the platform's credit (`metrics.attention_shares`)
--   before_pct      the same for the period before, over the platforms that are healthy in both periods
--   delta_points    mindshare_pct over these platforms - before_pct; null without such a platform
--   net             the tone relative to the platform (`metrics.tone`), over the platforms that name the asset
-- `se` and `net_se` are the standard errors of mindshare_pct and net, clustered by author.
-- columns: range, platform, symbol; credit, mindshare_pct, before_pct?, delta_points?, se DOUBLE, net? DOUBLE, net_se? DOUBLE,
-- n_authors, n_posts, is_healthy
with health as (
  select
    n.range,
    n.platform,
    w.weight,
    n.is_healthy,
    n.is_healthy and coalesce(b.is_healthy, false) as is_comparable
  from metrics.platform_periods n
  join core.platforms w using (platform)
  left join metrics.platform_periods b on b.range = n.range and b.platform = n.platform and b.period = 'before'
  where n.period = 'current'
),
symbols as (
  select symbol from core.assets
  union
  select symbol from metrics.attention_shares
  union
  select '*'
),
cells as (
  select
    h.*,
    s.symbol,
    coalesce(n.credit, 0) as credit,
    coalesce(n.share, 0) as share,
    coalesce(n.variance, 0) as variance,
    coalesce(b.share, 0) as before,
    t.net,
    t.se as net_se,
    coalesce(t.n_authors, 0) as n_authors,
    coalesce(t.n_posts, 0) as n_posts
  from health h
  cross join symbols s
  left join metrics.attention_shares n
    on n.range = h.range and n.period = 'current' and n.platform = h.platform and n.symbol = s.symbol
  left join metrics.attention_shares b
    on b.range = h.range and b.period = 'before' and b.platform = h.platform and b.symbol = s.symbol
  left join metrics.tone t on t.range = h.range and t.platform = h.platform and t.symbol = s.symbol
),
wholes as (
  select
    range,
    symbol,
    sum(credit) as credit,
    sum(weight) as weight,
    sum((weight * share)::decimal(38, 18))::double as share,
    sum((weight ** 2 * variance)::decimal(38, 18))::double as variance,
    sum(weight) filter (is_comparable) as both_weight,
    sum((weight * share)::decimal(38, 18)) filter (is_comparable)::double as both_share,
    sum((weight * before)::decimal(38, 18)) filter (is_comparable)::double as before,
    sum(weight) filter (net is not null) as net_weight,
    sum((weight * net)::decimal(38, 18))::double as net,
    sum((weight ** 2 * net_se ** 2)::decimal(38, 18))::double as net_variance,
    sum(n_authors) as n_authors,
    sum(n_posts) as n_posts
  from cells
  where is_healthy
  group by all
)
select
  range,
  platform,
  symbol,
  credit,
  100 * share as mindshare_pct,
  case when is_comparable then 100 * before end as before_pct,
  case when is_comparable then 100 * (share - before) end as delta_points,
  100 * sqrt(variance) as se,
  net,
  net_se,
  n_authors,
  n_posts,
  is_healthy
from cells
union all
select
  range,
  '*' as platform,
  symbol,
  credit,
  100 * share / weight as mindshare_pct,
  100 * before / both_weight as before_pct,
  100 * (both_share - before) / both_weight as delta_points,
  100 * sqrt(variance) / weight as se,
  net / net_weight as net,
  sqrt(net_variance) / net_weight as net_se,
  n_authors,
  n_posts,
  true as is_healthy
from wholes
