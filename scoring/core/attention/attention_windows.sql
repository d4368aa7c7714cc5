-- The authors who post on a tracked asset in the 6 hours that end `hours_ago` whole hours before the clock, over 59
-- days. Only posts count that name at most 8 assets and are no copy of an earlier post (`core.clusters`), so that
-- copies are no authors.
-- columns: platform, symbol, hours_ago INTEGER; n_authors
with ages as (
  select distinct
    m.platform,
    m.symbol,
    m.author,
    (epoch_us(c.as_of) - epoch_us(m.ts)) // 3600000000 as age
  from core.mentions m
  cross join core.clock c
  where m.n_assets <= 8 and m.symbol <> '*' and m.post_id = m.cluster_id and m.ts > c.as_of - interval 59 day
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
