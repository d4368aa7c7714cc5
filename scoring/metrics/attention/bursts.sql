-- A burst of attention: in the 6 hours up to `ts` far more authors post on an asset than its usual share of the posts
-- makes likely. `ts` is the clock or a whole number of hours, at most 30 days, before it. By platform, from the 28 days
-- of windows of 6 hours before (`core.attention_windows`, `core.attention_exposures`), at least 7 days of them:
--   rate       (authors on the asset + 1) / (posts x (1 + 1 / m)), m the mean authors of a tracked asset
--   spread     ((authors - rate x posts)^2 - rate x posts), summed over the windows, / the sum of (rate x posts)^2,
--              within [0.02, 4]; plus 1 / (authors + 1) for the rate, which is an estimate
-- Over the platforms:
--   expected   the sum of rate x posts of the window
--   dispersion the sum of spread x (rate x posts)^2, / expected^2
--   lift       authors / expected
--   p          the probability of so many authors or more, of a negative binomial with this mean and dispersion
-- Posts are all that were read, also those that name no asset and were dropped.
-- A row has p < 0.0001, a lift of at least 2.5, at least 5 authors, and posts on two platforms if two are tested.
-- `information` is -log10 p, at most 20, `confidence` the clusters / 10, at most 1. `evidence` is the 5 posts with the
-- largest weight as `<platform>:<post>`. Each tracked asset (`core.assets`) is one test of a tick.
-- columns: symbol, ts; n_authors, expected DOUBLE, lift DOUBLE, dispersion DOUBLE, p DOUBLE, information DOUBLE, confidence,
-- n_posts, n_clusters, n_platforms, evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, value DOUBLE)[]
with busy as (
  select distinct symbol
  from (
    select symbol
    from core.attention_windows
    where hours_ago <= 30 * 24
    group by symbol, hours_ago
    having sum(n_authors) >= 5
  )
),
universe as (
  select greatest(count(*), 1) as n_assets
  from core.assets
),
named as (
  select platform, hours_ago, sum(n_authors) as n_named
  from core.attention_windows
  group by all
),
exposures as (
  select
    e.platform,
    e.hours_ago,
    e.n_posts,
    sum(coalesce(n.n_named, 0)) over base as n_named,
    sum(e.n_posts) over base as posts,
    sum(e.n_posts * e.n_posts) over base as post_squares,
    count(*) over base as n_windows
  from core.attention_exposures e
  left join named n using (platform, hours_ago)
  window base as (
    partition by e.platform, e.hours_ago % 6 order by e.hours_ago range between 6 following and 672 following
  )
),
cells as (
  select
    e.*,
    b.symbol,
    coalesce(w.n_authors, 0) as n_authors,
    sum(coalesce(w.n_authors, 0)) over base as authors,
    sum(coalesce(w.n_authors, 0) * coalesce(w.n_authors, 0)) over base as author_squares,
    sum(coalesce(w.n_authors, 0) * e.n_posts) over base as products
  from exposures e
  cross join busy b
  left join core.attention_windows w using (platform, symbol, hours_ago)
  window base as (
    partition by e.platform, b.symbol, e.hours_ago % 6 order by e.hours_ago range between 6 following and 672 following
  )
),
rated as (
  select c.*, (c.authors + 1) / (c.posts * (1 + u.n_assets / c.n_named)) as rate
  from cells c
  cross join universe u
  where c.hours_ago <= 30 * 24 and c.n_windows >= 28 and c.n_named > 0
),
spreads as (
  select
    *,
    rate * n_posts as expected,
    1 / (authors + 1) + least(4, greatest(
      0.02,
      (author_squares - 2 * rate * products + rate ** 2 * post_squares - rate * posts) / (rate ** 2 * post_squares)
    )) as spread
  from rated
),
pooled as (
  select
    symbol,
    hours_ago,
    sum(n_authors) as n_authors,
    sum(expected::decimal(38, 18))::double as expected,
    sum((spread * expected ** 2)::decimal(38, 12))::double as excess,
    count(*) filter (n_authors > 0) >= least(2, count(*)) as is_wide
  from spreads
  group by symbol, hours_ago
),
lifted as (
  select *, n_authors / expected as lift, excess / expected ** 2 as dispersion, expected ** 2 / excess as shape
  from pooled
  where n_authors >= 5 and n_authors >= 2.5 * expected and is_wide
),
-- The tail is summed from its largest term on, until the rest is below the 18th digit.
tested as (
  select
    *,
    list_reduce(list_transform(
      range(n_authors::bigint, n_authors::bigint + ceil(40 * (1 + dispersion * expected))::bigint),
      lambda k: exp(
        lgamma(k + shape) - lgamma(shape) - lgamma(k + 1)
          + shape * ln(shape / (shape + expected)) + k * ln(expected / (shape + expected))
      )
    ), lambda one, next: one + next) as p
  from lifted
),
bursts as (
  select t.*, c.as_of - t.hours_ago * interval 1 hour as ts
  from tested t
  cross join core.clock c
  where t.p < 0.0001
),
posts as (
  select
    b.symbol,
    b.ts,
    m.platform,
    m.post_id,
    m.cluster_id,
    m.ts as posted_at,
    m.quality_rate * (1 + 0.5 * ln(1 + m.engagement::double)) * m.confidence / m.n_assets as weight
  from bursts b
  join core.mentions m on m.symbol = b.symbol and m.ts > b.ts - interval 6 hour and m.ts <= b.ts
  where m.n_assets <= 8
),
named_posts as (
  select
    symbol,
    ts,
    count(*) as n_posts,
    count(distinct (platform, cluster_id)) as n_clusters,
    count(distinct platform) as n_platforms,
    list(
      {'kind': 'post', 'ref': platform || ':' || post_id, 'ts': posted_at, 'value': weight}
      order by weight desc, platform, post_id
    )[1:5] as evidence
  from posts
  group by symbol, ts
)
select
  symbol,
  ts,
  b.n_authors,
  b.expected,
  b.lift,
  b.dispersion,
  b.p,
  least(20, -log10(greatest(b.p, 1e-20))) as information,
  least(1, n.n_clusters / 10) as confidence,
  n.n_posts,
  n.n_clusters,
  n.n_platforms,
  n.evidence
from bursts b
join named_posts n using (symbol, ts)
