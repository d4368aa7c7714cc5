-- The authors of the 6 hours that end `hours_ago` whole hours before the clock, over 59 days: those who post on a tracked
-- asset, or, with an empty symbol, at all (the exposure). On an asset count only posts that name at most 8 assets and
-- are no copy of an earlier post (`core.clusters`), so that copies are no authors.
-- columns: platform, symbol, hours_ago INTEGER; n_authors
with posts as (
  select platform, symbol, author, ts
  from core.mentions
  where n_assets <= 8 and symbol <> '*' and post_id = cluster_id
  union all
  select platform, '', author, ts
  from staging.posts
),
ages as (
  select distinct
    p.platform,
    p.symbol,
    p.author,
    (epoch_us(c.as_of) - epoch_us(p.ts)) // 3600000000 as age
  from posts p
  cross join core.clock c
  where p.ts > c.as_of - interval 59 day
),
-- A post counts until the author's next one counts instead.
spread as (
  select platform, symbol, unnest(range(greatest(0, age - 5, coalesce(next_age + 1, 0)), age + 1)) as hours_ago
  from (
    select *, lead(age) over (partition by platform, symbol, author order by age desc) as next_age
    from ages
  )
)
select platform, symbol, hours_ago, count(*) as n_authors
from spread
where hours_ago < 59 * 24 - 5
group by all
