-- The momentum of each tracked asset (`metrics.attention`), as `/v1/signals` serves it, ranked by mindshare, then by
-- symbol; assets without a post (`n_posts` 0) have no reading and rank last. `mindshare_delta` is 0 and `before_pct` null if no platform is healthy in both periods. `sentiment` is
-- bullish if the tone exceeds the tone of the platforms' other assets by more than 1.645 standard errors, bearish if it
-- falls short by as much, otherwise neutral; it takes at least 10 authors. `platforms` are the healthy platforms.
-- columns: range, rank; symbol, mindshare_pct, mindshare_delta DECIMAL(9,6), sentiment, mindshare_se DOUBLE, before_pct?,
-- net DOUBLE, net_se DOUBLE, n_authors, n_posts, platforms VARCHAR[]
with platforms as (
  select range, list(platform order by platform) as platforms
  from metrics.platform_periods
  where period = 'current' and is_healthy
  group by range
)
select
  a.range,
  row_number() over (partition by a.range order by a.n_posts > 0 desc, a.mindshare_pct desc, a.symbol) as rank,
  a.symbol,
  a.mindshare_pct,
  coalesce(a.delta_points, 0) as mindshare_delta,
  case
    when a.n_authors < 10 then 'neutral'
    when a.net - 1.645 * a.net_se > 0 then 'bullish'
    when a.net + 1.645 * a.net_se < 0 then 'bearish'
    else 'neutral'
  end as sentiment,
  a.se as mindshare_se,
  a.before_pct,
  coalesce(a.net, 0) as net,
  coalesce(a.net_se, 0) as net_se,
  a.n_authors,
  a.n_posts,
  p.platforms
from metrics.attention a
join core.assets u using (symbol)
join platforms p using (range)
where a.platform = '*'
