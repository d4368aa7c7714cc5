-- Tests whether the closes of each kind are unbiased prices from before the event was decided. The input is one row
-- for each resolved market: its first fill with a close, by time. A market's mean close would make prices look too
-- moderate. Markouts of markets that resolved in their window are not used. There are two subsets:
--
--   all       close and payout of outcome 0
--   positive  the first fill of a trader whose other clusters of the kind (`metrics.clv_clusters`, all time) gained:
--             the sum of their `edge_points` x `risk_usd` is above 0. Close and payout are of the side that the
--             fill bought (or kept, by a sale), which must win as often as the close says. More wins mean that the
--             close is too early, fewer wins that it is noise or too late. The close itself does not choose the fill:
--             fills that beat their own close are those whose close lies too high by chance.
--
-- `gap` is mean(payout - close), `slope` the slope of the regression of payout on close: 0 and 1 if closes are
-- calibrated. A payout differs from its close by the news from the close to the resolution, which markets of one
-- category share. `se` and `slope_se`, the standard errors of 0 and 1, therefore spread each market's error evenly
-- over these UTC days:
--
--   u    payout - close for the gap, (close - mean close) (payout - close - gap) for the slope, over sqrt(D) of the
--        market's D days
--   se   the root of the sum over `n_clusters` categories and days of (sum u)^2, over the number of markets;
--        `slope_se` the same over sum (close - mean close)^2
--
-- `extreme_share` is the share of closes outside [0.03, 0.97]; many of them mean that closes are prices of decided
-- events.
--
-- `is_held`: |gap| <= 2.58 se and |slope - 1| <= 2.58 slope_se with at least 200 markets. Below these nothing is known,
-- and it is null. It is false if more than 0.15 of the closes of all markets are extreme, with at least 20. If it is
-- false, no closing line value of the kind is served (`metrics.clv_scores`).
-- columns: kind, subset; n_markets, n_clusters, gap DOUBLE, se DOUBLE, slope? DOUBLE, slope_se? DOUBLE, extreme_share, is_held?
with outcomes as (
  select n.market_index, o.outcome, o.payout
  from core.outcomes o
  join core.ledger_markets n on n.market_id = o.market_id
  where o.payout is not null
),
gains as (
  select c.kind, t.trader_index, c.category, c.day, (c.edge_points::double * c.risk_usd::double)::decimal(38, 18) as gain
  from metrics.clv_clusters c
  join core.ledger_traders t on t.trader = c.trader
  where c.range = 'all'
),
traders as (
  select kind, trader_index, sum(gain) as gain
  from gains
  group by kind, trader_index
),
fills as (
  select
    f.kind,
    f.market_index,
    struct_pack(a := f.ts, b := f.trader_index, c := f.outcome, d := f.side) as place,
    -- A fill with nothing at risk is in no cluster: all clusters of its trader are other ones.
    coalesce(t.gain > coalesce(g.gain, 0), false) as is_positive,
    struct_pack(
      category := f.category,
      day := f.close_at::date,
      last_day := greatest(f.close_at, m.resolved_at)::date,
      outcome := f.outcome,
      side := f.side,
      price := f.close_price
    ) as fill
  from metrics.clv_edges f
  join core.ledger_markets m on m.market_index = f.market_index
  left join traders t on t.kind = f.kind and t.trader_index = f.trader_index
  left join gains g
    on g.kind = f.kind and g.trader_index = f.trader_index and g.category = f.category and g.day = f.close_at::date
  where f.left_out is null and not f.is_resolved and m.resolved_at is not null and (m.n_outcomes = 2 or f.outcome = 0)
),
firsts as (
  select kind, market_index, arg_min(fill, place) as fill, arg_min(fill, place) filter (is_positive) as positive
  from fills
  group by kind, market_index
),
markets as (
  select
    f.kind,
    'all' as subset,
    f.fill.category as category,
    f.fill.day as day,
    f.fill.last_day as last_day,
    (case when f.fill.outcome = 0 then f.fill.price else 1 - f.fill.price end)::decimal(9, 6) as price,
    o.payout
  from firsts f
  join outcomes o on o.market_index = f.market_index and o.outcome = 0
  union all
  select
    f.kind,
    'positive',
    f.positive.category,
    f.positive.day,
    f.positive.last_day,
    (case f.positive.side when 'buy' then f.positive.price else 1 - f.positive.price end)::decimal(9, 6),
    (case f.positive.side when 'buy' then o.payout else 1 - o.payout end)::decimal(9, 6)
  from firsts f
  join outcomes o on o.market_index = f.market_index and o.outcome = f.positive.outcome
  where f.positive is not null
),
sums as (
  select
    kind,
    subset,
    count(*) as n,
    count(*) filter (price < 0.03 or price > 0.97) / count(*) as extreme_share,
    -- A product of two decimals of 18 digits has 18 digits too, which the square of 1,000 exceeds.
    sum(price)::decimal(19, 6) as prices,
    sum(payout)::decimal(19, 6) as payouts,
    sum(price * price)::decimal(24, 12) as squares,
    sum(price * payout)::decimal(24, 12) as products
  from markets
  group by kind, subset
),
-- The difference of two almost equal sums is exact: closes that lie near each other have a slope too.
totals as (
  select
    kind,
    subset,
    n,
    extreme_share,
    prices::double / n as mean_c,
    payouts::double / n as mean_y,
    (n::decimal(12, 0) * squares - prices * prices)::double / n as spread,
    case when spread > 1e-9 then spread end as scatter,
    (n::decimal(12, 0) * products - prices * payouts)::double / n as crossed
  from sums
),
lines as (
  select *, mean_y - mean_c as gap, crossed / scatter as slope
  from totals
),
news as (
  select
    m.kind,
    m.subset,
    m.category,
    unnest(range(m.day, m.last_day + 1, interval 1 day)) as day,
    (m.payout - m.price)::double / sqrt(m.last_day - m.day + 1) as gap_error,
    (m.price::double - l.mean_c) * (m.payout - m.price - l.gap) / l.scatter / sqrt(m.last_day - m.day + 1) as slope_error
  from markets m
  join lines l using (kind, subset)
),
clusters as (
  select
    kind,
    subset,
    pow(sum(gap_error::decimal(38, 24))::double, 2)::decimal(38, 24) as gap_square,
    pow(sum(slope_error::decimal(38, 24))::double, 2)::decimal(38, 24) as slope_square
  from news
  group by kind, subset, category, day
),
errors as (
  select
    kind,
    subset,
    count(*) as n_clusters,
    sum(gap_square)::double as gap_square,
    sum(slope_square)::double as slope_square
  from clusters
  group by kind, subset
),
guards as (
  select l.*, e.n_clusters, sqrt(e.gap_square) / l.n as se, sqrt(e.slope_square) as slope_se
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
  slope_se,
  extreme_share,
  case
    when n >= 20 and subset = 'all' and extreme_share > 0.15 then false
    when n >= 200 then abs(gap) <= 2.58 * se and abs(slope - 1) > 2.58 * slope_se is not true
  end as is_held
from guards
