-- The tone of an asset on a platform up to the clock, relative to the platform: the mean over authors of each author's
-- mean of bull_rate - bear_rate, minus the same over all other assets. `se` is clustered by author. Both are null
-- where the platform names no other asset. Posts that name more than 8 assets count nowhere.
-- columns: range, platform, symbol; net? DOUBLE, se? DOUBLE, n_authors, n_posts
with posts as (
  select p.range, m.platform, m.symbol, m.author, m.post_id, m.bull_rate - m.bear_rate as tone
  from core.mentions m
  join metrics.attention_periods p on p.period = 'current' and m.ts > p.from_at and m.ts <= p.to_at
  where m.n_assets <= 8
),
named as (
  select range, platform, symbol, author, sum(tone) as tone, count(*) as n, count(distinct post_id) as n_posts
  from posts
  group by all
),
authors as (
  select range, platform, author, sum(tone) as tone, sum(n) as n, sum(tone)::double / sum(n) as mean
  from named
  group by all
),
platforms as (
  select
    range,
    platform,
    count(*) as n,
    sum(mean::decimal(38, 18)) as total,
    sum((mean ** 2)::decimal(38, 18)) as squares
  from authors
  group by all
),
pairs as (
  select
    n.range,
    n.platform,
    n.symbol,
    n.n_posts,
    n.tone::double / n.n as own,
    case when a.n > n.n then (a.tone - n.tone)::double / (a.n - n.n) end as others,
    a.mean
  from named n
  join authors a using (range, platform, author)
),
sums as (
  select
    range,
    platform,
    symbol,
    count(*) as n_authors,
    sum(n_posts) as n_posts,
    sum(own::decimal(38, 18))::double / count(*) as own,
    any_value(p.n) - count(*) + count(others) as n_others,
    any_value(p.n) - count(*) as n_silent,
    (any_value(p.total) - sum(mean::decimal(38, 18)))::double as silent,
    (any_value(p.squares) - sum((mean ** 2)::decimal(38, 18)))::double as silent_squares,
    coalesce(sum(others::decimal(38, 18)), 0)::double as others
  from pairs
  join platforms p using (range, platform)
  group by all
),
means as (
  select *, (silent + others) / nullif(n_others, 0) as baseline
  from sums
),
spread as (
  select
    p.range,
    p.platform,
    p.symbol,
    sum(
      (((p.own - m.own) / m.n_authors - coalesce(p.others - m.baseline, 0) / m.n_others) ** 2)::decimal(38, 18)
    )::double as squares
  from pairs p
  join means m using (range, platform, symbol)
  where m.baseline is not null
  group by all
)
select
  range,
  platform,
  symbol,
  m.own - m.baseline as net,
  sqrt(
    m.n_authors / greatest(m.n_authors - 1, 1) * greatest(
      0,
      s.squares
        + (m.silent_squares - 2 * m.baseline * m.silent + m.baseline ** 2 * m.n_silent) / m.n_others ** 2
    )
  ) as se,
  m.n_authors,
  m.n_posts
from means m
left join spread s using (range, platform, symbol)
