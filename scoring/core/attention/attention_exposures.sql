-- The exposure of attention: the posts of a platform that were read in the 6 hours that end `hours_ago` whole hours
-- before the clock, over 59 days. They are the stored posts, and those that were dropped since they name no asset. The
-- dropped posts of a minute count at its begin.
-- columns: platform, hours_ago INTEGER; n_posts
with posts as (
  select platform, ts, count(*) as n_posts
  from staging.posts
  group by platform, ts
  union all
  select platform, ts, max(n_posts) as n_posts
  from lake.dropped_posts
  group by platform, ts
),
ages as (
  select p.platform, (epoch_us(c.as_of) - epoch_us(p.ts)) // 3600000000 as age, sum(p.n_posts) as n_posts
  from posts p
  cross join core.clock c
  where p.ts > c.as_of - interval 59 day and p.ts <= c.as_of
  group by all
),
spread as (
  select platform, n_posts, unnest(range(greatest(0, age - 5), age + 1)) as hours_ago
  from ages
)
select platform, hours_ago, sum(n_posts) as n_posts
from spread
where hours_ago < 59 * 24 - 5
group by all
