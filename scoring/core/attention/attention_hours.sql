-- An asset's hour on a platform. Symbol `*` is all recognised assets outside the universe. Clusters and their credit
-- (`core.clusters`) count in the hour of their first post. Posts that name more than 8 assets count nowhere.
-- columns: platform, symbol, hour_at; n_posts, n_authors, n_clusters, credit
with posts as (
  select
    platform,
    symbol,
    date_trunc('hour', ts) as hour_at,
    count(distinct post_id) as n_posts,
    count(distinct author) as n_authors
  from core.mentions
  where n_assets <= 8
  group by all
),
credits as (
  select
    platform,
    symbol,
    date_trunc('hour', ts) as hour_at,
    count(distinct cluster_id) as n_clusters,
    sum(credit) as credit
  from core.clusters
  group by all
)
select
  p.platform,
  p.symbol,
  p.hour_at,
  p.n_posts,
  p.n_authors,
  coalesce(c.n_clusters, 0) as n_clusters,
  coalesce(c.credit, 0) as credit
from posts p
left join credits c on c.platform = p.platform and c.symbol = p.symbol and c.hour_at = p.hour_at
