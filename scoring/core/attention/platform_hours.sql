-- The share of a platform's hour that was read, and the numbers of its stored posts, of their authors, and of the posts
-- that name 1 to 8 recognised assets. A reading of a list covers the time since the reading before it, if that was at
-- most an hour ago. A unit with rejected rows and without another gap counts by the share of its posts that parsed.
-- `covered_share` is the mean over the parts of a source that had begun, of the source that covers most.
-- columns: platform, hour_at; covered_share, n_posts, n_authors, n_credited
with readings as (
  select
    source,
    part,
    key,
    from_at,
    least(coalesce(to_at, from_at), c.as_of) as to_at,
    n_rows,
    n_read,
    state in ('done', 'head', 'quarantined', 'unverified') as is_read,
    -- A graver reason is that of a gap, of unknown size.
    case
      when state = 'quarantined' and reason_code = 'unparsed' then n_rejected
      when state in ('done', 'head') then 0
    end as n_rejected
  from lake.coverage
  cross join core.clock c
  where dataset = 'posts' and from_at <= c.as_of
),
spans as (
  select
    source,
    part,
    -- A reading that is cut off has the newest posts, to which the one after it reads back.
    case
      when to_at > from_at then from_at
      when lag(from_at) over before >= from_at - interval 1 hour then lag(from_at) over before
      else from_at
    end as from_at,
    to_at,
    n_rejected,
    greatest(coalesce(n_read, n_rows + n_rejected), n_rejected, 1) as n_shown
  from readings
  where is_read
  window before as (partition by source, part, key order by from_at)
  qualify n_rejected is not null
),
cut as (
  select
    source,
    part,
    from_at,
    to_at,
    n_rejected,
    n_shown,
    unnest(generate_series(date_trunc('hour', from_at), to_at - interval 1 microsecond, interval 1 hour)) as hour_at
  from spans
  where to_at > from_at
),
part_hours as (
  select
    source,
    part,
    hour_at,
    least(
      3600000000,
      sum(
        (epoch_us(least(to_at, hour_at + interval 1 hour)) - epoch_us(greatest(from_at, hour_at)))
          * (n_shown - n_rejected) // n_shown
      )
    ) as covered_us
  from cut
  group by source, part, hour_at
),
begun as (
  select source, part, min(from_at) as from_at
  from spans
  group by source, part
),
source_hours as (
  select h.source, h.hour_at, any_value(h.covered_us) / count(*) / 3600000000 as covered_share
  from (select source, hour_at, sum(covered_us) as covered_us from part_hours group by source, hour_at) h
  join begun b on b.source = h.source and b.from_at < h.hour_at + interval 1 hour
  group by h.source, h.hour_at
),
platforms as (
  select distinct source, platform
  from lake.posts
  where ts <= (select as_of from core.clock)
),
covered as (
  select p.platform, h.hour_at, max(h.covered_share) as covered_share
  from source_hours h
  join platforms p on p.source = h.source
  group by p.platform, h.hour_at
),
posts as (
  select
    platform,
    date_trunc('hour', ts) as hour_at,
    count(*) as n_posts,
    count(distinct author) as n_authors
  from staging.posts
  group by all
),
credited as (
  select platform, date_trunc('hour', ts) as hour_at, count(distinct post_id) as n_credited
  from core.mentions
  where n_assets <= 8
  group by all
)
select
  platform,
  hour_at,
  coalesce(c.covered_share, 0) as covered_share,
  coalesce(p.n_posts, 0) as n_posts,
  coalesce(p.n_authors, 0) as n_authors,
  coalesce(n.n_credited, 0) as n_credited
from covered c
full join posts p using (platform, hour_at)
left join credited n using (platform, hour_at)
