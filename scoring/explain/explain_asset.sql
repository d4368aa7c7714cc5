-- Explains the figures of a tracked asset: `from core.explain_asset('BTC')`, with a symbol in any case. An unknown
-- symbol has no rows. Each part is of one range, `7d` or `30d`; `place` is a platform, or `*` for all.
--
--   asset     as served: points is mindshare_pct
--   platform  its share on each healthy platform: points is the part of mindshare_pct that the platform gives
--   change    the part of mindshare_delta from a platform that is healthy in both ranges
--   tone      the part of the net tone behind sentiment that a platform gives
--   author    the clusters that an author began: points is their part of mindshare_pct; ref is the author's hash
--   cluster   the same of one cluster of near-duplicates; ref is its first post
--   post      a post of these clusters with its weight as credit, the parts of the weight, and its text while it is
--             kept
--
-- Before rounding, the points of platform, of author and of cluster each add up to mindshare_pct, the points of
-- change to mindshare_delta, and the points of tone to net. The credit of the clusters of a platform adds up to the
-- credit of the platform.
-- A cluster has the largest weight of its posts x (1 + ln(authors)). A healthy platform was read well enough
-- (`metrics.platform_periods`). `text` is null 30 days after the post, and after its deletion.
-- parameter: asset
-- columns: part, range, place, ts?, what, credit?, points? DOUBLE, ref?, text?
with
chosen as (
  select u.symbol
  from core.assets u
  where u.symbol = upper(asset)
),
healthy as (
  select n.range, n.platform, w.weight, coalesce(b.is_healthy, false) as was_healthy, p.from_at, p.to_at
  from metrics.platform_periods n
  join core.platforms w on w.platform = n.platform
  join metrics.attention_periods p on p.range = n.range and p.period = 'current'
  left join metrics.platform_periods b on b.range = n.range and b.platform = n.platform and b.period = 'before'
  where n.period = 'current' and n.is_healthy
),
weights as (
  select
    h.*,
    sum(h.weight) over (partition by h.range) as weight_now,
    sum(h.weight) filter (h.was_healthy) over (partition by h.range) as weight_both
  from healthy h
),
totals as (
  select s.range, s.platform, sum(s.credit) as credit
  from metrics.attention_shares s
  where s.period = 'current'
  group by s.range, s.platform
),
platforms as (
  select
    w.*,
    t.credit as total,
    a.symbol,
    a.credit,
    a.mindshare_pct,
    a.before_pct,
    a.net,
    a.net_se,
    a.n_authors,
    a.n_posts,
    100 * w.weight / w.weight_now / t.credit::double as points_per_credit
  from weights w
  join totals t on t.range = w.range and t.platform = w.platform
  join metrics.attention a on a.range = w.range and a.platform = w.platform
  join chosen c on c.symbol = a.symbol
),
-- Exact shares; `metrics.attention` rounds its own.
shares as (
  select p.range, p.platform, coalesce(n.share, 0) as share, coalesce(b.share, 0) as before
  from platforms p
  left join metrics.attention_shares n
    on n.range = p.range and n.period = 'current' and n.platform = p.platform and n.symbol = p.symbol
  left join metrics.attention_shares b
    on b.range = p.range and b.period = 'before' and b.platform = p.platform and b.symbol = p.symbol
),
clusters as (
  select p.range, k.platform, k.cluster_id, k.asset_id, k.ts, k.author, k.n_posts, k.n_authors, k.credit, p.points_per_credit
  from core.clusters k
  join platforms p on p.platform = k.platform and p.symbol = k.symbol and k.ts > p.from_at and k.ts <= p.to_at
),
posts as (
  select
    k.range,
    m.platform,
    m.post_id,
    m.ts,
    m.author,
    'by ' || m.author || ': quality ' || m.quality_rate || ', engagement ' || m.engagement::double || ', confidence '
      || m.confidence || ', assets ' || m.n_assets || ', post ' || m.kth || ' of the author in the day, bullish '
      || m.bull_rate || ', bearish ' || m.bear_rate || ', cluster ' || m.cluster_id as what,
    m.quality_rate * (1 + 0.5 * ln(1 + m.engagement::double)) * 0.5 ** (m.kth - 1) * m.confidence / m.n_assets as weight
  from clusters k
  join core.mentions m on m.platform = k.platform and m.cluster_id = k.cluster_id and m.asset_id = k.asset_id
  where m.n_assets <= 8
),
texts as (
  select t.platform, t.post_id, any_value(t.text) as text
  from lake.post_text t
  where (t.platform, t.post_id) in (select (p.platform, p.post_id) from posts p)
  group by t.platform, t.post_id
),
stated as (
  select
    0 as step, 'asset' as part, s.range as range, '*' as place, c.as_of as ts,
    'rank ' || s.rank || ', ' || s.sentiment || ', change ' || s.mindshare_delta || ', standard error '
      || round(s.mindshare_se, 6) || ', posts: ' || s.n_posts as what,
    null::decimal(38, 6) as credit, s.mindshare_pct::double as points, null as ref, null as text
  from marts.signals s
  join chosen h on h.symbol = s.symbol
  cross join core.clock c
  union all
  select
    1, 'platform', p.range, p.platform, p.to_at,
    p.mindshare_pct || ' % of ' || p.total || ', weight ' || p.weight || ' of ' || p.weight_now || ', posts: ' || p.n_posts,
    p.credit, p.credit::double * p.points_per_credit, null, null
  from platforms p
  union all
  select
    2, 'change', p.range, p.platform, p.to_at, 'from ' || p.before_pct || ' % to ' || p.mindshare_pct || ' %',
    null, 100 * p.weight * (s.share - s.before) / p.weight_both, null, null
  from platforms p
  join shares s on s.range = p.range and s.platform = p.platform
  where p.was_healthy
  union all
  select
    3, 'tone', p.range, p.platform, p.to_at,
    round(p.net, 6) || ' beside other assets, standard error ' || round(p.net_se, 6) || ', authors: ' || p.n_authors,
    null, p.weight * p.net / sum(p.weight) over (partition by p.range), null, null
  from platforms p
  where p.net is not null
  union all
  select
    4, 'author', k.range, k.platform, min(k.ts), 'clusters: ' || count(*), sum(k.credit),
    sum(k.credit)::double * any_value(k.points_per_credit), k.author, null
  from clusters k
  group by k.range, k.platform, k.author
  union all
  select
    5, 'cluster', k.range, k.platform, k.ts, 'posts: ' || k.n_posts || ', authors: ' || k.n_authors, k.credit,
    k.credit::double * k.points_per_credit, k.cluster_id, null
  from clusters k
  union all
  select 6, 'post', p.range, p.platform, p.ts, p.what, p.weight, null, p.post_id, t.text
  from posts p
  left join texts t on t.platform = p.platform and t.post_id = p.post_id
)
select
  part,
  range,
  place,
  ts,
  what,
  credit::decimal(38, 6) as credit,
  points,
  ref,
  text
from stated
order by range desc, step, points desc nulls last, credit desc nulls last, place, ts, ref
