-- Tests whether the closes of each kind are unbiased prices from before the event was decided. The input is one row
-- for each resolved market: its first fill with a close, by time. A market's mean close would make prices look too
-- moderate. Markouts of markets that resolved in their window are not used. Closes of one category and one UTC day share
-- news, so errors are clustered by them. There are two subsets:
--
--   all       close and payout of outcome 0
--   positive  the first fill with an edge above 0, close and payout of the side that it bought (or kept, by a sale). These
--             must win as often as the close says. More wins mean that the close is too early or knows the outcome;
--             fewer wins mean that it is noise.
--
-- `gap` is mean(payout - close), `slope` that of the regression of payout on close: 0 and 1 if closes are calibrated.
-- `se` and `slope_se` are their standard errors: the root of the sum of the squared sums of each cluster, times
-- G / (G - 1) for G clusters. `extreme_share` is the share of closes outside [0.03, 0.97]; many of them mean that closes
-- are prices of decided events.
--
-- `is_held`: |gap| <= 2.58 se and |slope - 1| <= 2.58 slope_se with at least 200 markets. Below these nothing is known, and
-- it is null. It is false if more than 0.15 of the closes of all markets are extreme, with at least 20. If it is false, no closing line value of the kind is served (`metrics.clv_scores`).
-- columns: kind, subset; n_markets, n_clusters, gap DOUBLE, se? DOUBLE, slope? DOUBLE, slope_se? DOUBLE, extreme_share, is_held?
with fills as (
  select
    f.kind,
    f.market_id,
    struct_pack(a := f.ts, b := f.trader, c := f.outcome, d := f.side) as place,
    f.edge_points > 0 as is_positive,
    struct_pack(category := f.category, day := f.close_at::date, outcome := f.outcome, side := f.side, price := f.close_price)
      as fill
  from metrics.clv_fills f
  join core.markets m on m.market_id = f.market_id
  where f.left_out is null and not f.is_resolved and m.resolved_at is not null and (m.n_outcomes = 2 or f.outcome = 0)
),
firsts as (
  select kind, market_id, arg_min(fill, place) as fill, arg_min(fill, place) filter (is_positive) as positive
  from fills
  group by kind, market_id
),
markets as (
  select
    f.kind,
    'all' as subset,
    f.fill.category as category,
    f.fill.day as day,
    (case when f.fill.outcome = 0 then f.fill.price else 1 - f.fill.price end)::decimal(9, 6) as price,
    o.payout
  from firsts f
  join core.outcomes o on o.market_id = f.market_id and o.outcome = 0
  where o.payout is not null
  union all
  select
    f.kind,
    'positive',
    f.positive.category,
    f.positive.day,
    (case f.positive.side when 'buy' then f.positive.price else 1 - f.positive.price end)::decimal(9, 6),
    (case f.positive.side when 'buy' then o.payout else 1 - o.payout end)::decimal(9, 6)
  from firsts f
  join core.outcomes o on o.market_id = f.market_id and o.outcome = f.positive.outcome
  where f.positive is not null and o.payout is not null
),
clusters as (
  select
    kind,
    subset,
    category,
    day,
    count(*) as n,
    count(*) filter (price < 0.03 or price > 0.97) as n_extreme,
    sum(price) as c,
    sum(payout) as y,
    sum(price * price) as cc,
    sum(price * payout) as cy
  from markets
  group by kind, subset, category, day
),
totals as (
  select
    kind,
    subset,
    sum(n)::bigint as n,
    count(*) as n_clusters,
    sum(n_extreme) / sum(n) as extreme_share,
    sum(c)::double / sum(n)::double as mean_c,
    sum(y)::double / sum(n)::double as mean_y,
    sum(cc)::double - sum(c)::double * sum(c)::double / sum(n)::double as scatter,
    sum(cy)::double - sum(c)::double * sum(y)::double / sum(n)::double as crossed
  from clusters
  group by kind, subset
),
lines as (
  select *, mean_y - mean_c as gap, case when scatter > 1e-9 then crossed / scatter end as slope
  from totals
),
residuals as (
  select
    kind,
    subset,
    pow(c.y::double - c.c::double - l.gap * c.n, 2)::decimal(38, 15) as gap_square,
    pow(
      c.cy::double - l.mean_c * c.y::double - l.mean_y * c.c::double + c.n * l.mean_c * l.mean_y
        - l.slope * (c.cc::double - 2 * l.mean_c * c.c::double + c.n * l.mean_c * l.mean_c),
      2
    )::decimal(38, 15) as slope_square
  from clusters c
  join lines l using (kind, subset)
),
errors as (
  select kind, subset, sum(gap_square)::double as gap_square, sum(slope_square)::double as slope_square
  from residuals
  group by kind, subset
),
guards as (
  select
    l.*,
    sqrt(l.n_clusters / nullif(l.n_clusters - 1, 0) * e.gap_square) / l.n as se,
    sqrt(l.n_clusters / nullif(l.n_clusters - 1, 0) * e.slope_square) / l.scatter as slope_se
  from lines l
  join errors e using (kind, subset)
)
select
  kind,
  subset,
  n as n_markets,
  n_clusters,
  gap,
  se,
  slope,
  case when slope is not null then slope_se end as slope_se,
  extreme_share,
  case
    when n >= 20 and subset = 'all' and extreme_share > 0.15 then false
    when n >= 200 then abs(gap) > 2.58 * se is not true and abs(slope - 1) > 2.58 * slope_se is not true
  end as is_held
from guards
