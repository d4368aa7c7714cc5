-- An asset in a post, and the parts of the post's weight. `symbol` is the symbol in the tracked universe at the end of
-- the post's UTC day, or `*` for an asset outside of it. `quality_rate` is the author's last quality up to 6 hours
-- after the post, else the first one after it, else 0.2. `engagement` is likes + 2 x replies + 3 x reposts + 4 x quotes
-- within 6 hours: distinct engagers, or the count that the platform showed if it is larger. `kth` counts the author's
-- posts on the asset in the UTC day. Posts with one `cluster_id` are near-duplicates (`core.clusters`).
-- columns: platform, asset_id, ts, post_id; symbol, author, cluster_id, confidence, n_assets, bull_rate, bear_rate,
-- quality_rate, engagement DECIMAL(18,6), kth SMALLINT
with posts as (
  select distinct platform, post_id, ts, author, ts + interval 6 hour as seen_by
  from staging.mentions
),
counts as (
  select
    p.platform,
    p.post_id,
    e.kind,
    greatest(
      count(distinct e.engager) filter (e.engager <> ''),
      coalesce(max(e.n_engaged) filter (e.engager = ''), 0)
    ) as n_engaged
  from posts p
  join lake.engagement e on e.platform = p.platform and e.post_id = p.post_id
  where e.ts <= p.seen_by and e.ts <= (select as_of from core.clock)
  group by p.platform, p.post_id, e.kind
),
engaged as (
  select
    platform,
    post_id,
    sum(n_engaged * case kind when 'like' then 1 when 'reply' then 2 when 'repost' then 3 when 'quote' then 4 else 0 end)
      as engagement
  from counts
  group by platform, post_id
),
first_qualities as (
  select platform, author, arg_min(quality_rate, seen_at) as quality_rate
  from core.author_quality
  group by platform, author
),
weighed as (
  select
    p.platform,
    p.post_id,
    coalesce(q.quality_rate, f.quality_rate, 0.2) as quality_rate,
    coalesce(e.engagement, 0) as engagement,
    d.cluster_id
  from posts p
  asof left join core.author_quality q
    on q.platform = p.platform and q.author = p.author and p.seen_by >= q.seen_at
  left join first_qualities f on f.platform = p.platform and f.author = p.author
  left join engaged e on e.platform = p.platform and e.post_id = p.post_id
  join core.post_clusters d on d.platform = p.platform and d.post_id = p.post_id
),
dated as (
  select
    m.*,
    least(date_trunc('day', m.ts) + interval 1 day, c.as_of) as valid_by,
    row_number() over (
      partition by m.platform, m.author, m.asset_id, m.ts::date order by m.ts, m.post_id
    ) as kth
  from staging.mentions m
  cross join core.clock c
),
tracked as (
  select d.valid_by, a.asset_id, a.symbol
  from (
    select *
    from (select distinct valid_by from dated)
    cross join (select distinct asset_id from staging.assets where is_tracked)
  ) d
  asof join staging.assets a on a.asset_id = d.asset_id and d.valid_by >= a.valid_at
  where a.is_tracked
  qualify row_number() over (partition by d.valid_by, a.symbol order by a.market_rank nulls last, a.asset_id) = 1
)
select
  m.platform,
  m.asset_id,
  m.ts,
  m.post_id,
  coalesce(a.symbol, '*') as symbol,
  m.author,
  w.cluster_id,
  m.confidence,
  m.n_assets,
  m.bull_rate,
  m.bear_rate,
  w.quality_rate,
  w.engagement,
  least(m.kth, 32767) as kth
from dated m
join weighed w on w.platform = m.platform and w.post_id = m.post_id
left join tracked a on a.asset_id = m.asset_id and a.valid_by = m.valid_by
