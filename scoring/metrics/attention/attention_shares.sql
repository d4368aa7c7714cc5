-- The share of an asset in the credit of a platform in a period: its credit / the credit of all recognised assets.
-- `variance` is the variance of the ratio estimator, by author: n / (n - 1) x sum (a - share x t)^2 / (sum t)^2, with
-- `a` the credit that an author's clusters give to the asset, `t` to all assets, and n authors.
-- columns: range, period, platform, symbol; credit, share DOUBLE, variance DOUBLE
with given as (
  select p.range, p.period, c.platform, c.symbol, c.author, sum(c.credit) as credit
  from core.clusters c
  join metrics.attention_periods p on c.ts > p.from_at and c.ts <= p.to_at
  group by all
),
authors as (
  select range, period, platform, author, sum(credit) as credit
  from given
  group by all
),
totals as (
  select
    range,
    period,
    platform,
    sum(credit) as credit,
    count(*) as n_authors,
    sum((credit::double ** 2)::decimal(38, 12)) as squares
  from authors
  group by all
),
shares as (
  select g.range, g.period, g.platform, g.symbol, sum(g.credit) as credit, sum(g.credit)::double / any_value(t.credit) as share
  from given g
  join totals t using (range, period, platform)
  group by all
  having sum(g.credit) > 0
),
residuals as (
  select
    g.range,
    g.period,
    g.platform,
    g.symbol,
    sum(((g.credit - s.share * a.credit) ** 2)::decimal(38, 12)) as named,
    sum((a.credit::double ** 2)::decimal(38, 12)) as squares
  from given g
  join authors a using (range, period, platform, author)
  join shares s using (range, period, platform, symbol)
  group by all
)
select
  range,
  period,
  platform,
  symbol,
  s.credit,
  s.share,
  t.n_authors / greatest(t.n_authors - 1, 1)
    * (r.named::double + s.share ** 2 * (t.squares - r.squares)::double) / t.credit::double ** 2 as variance
from shares s
join residuals r using (range, period, platform, symbol)
join totals t using (range, period, platform)
