-- Tests whether the closes of each kind are unbiased prices from before the event was decided. The input is one row
-- for each resolved market: its first fill with a close, by time; c and y are the close and the payout of outcome 0. A
-- market's mean close would make prices look too moderate. Markouts of markets that resolved in their window are not
-- used.
--
-- `gap` is mean(y - c), `slope` the slope of the regression of y on c: 0 and 1 if closes are calibrated. A payout
-- differs from its close by the news from the close to the resolution, which markets of one category share. `se` and
-- `slope_se`, the standard errors of 0 and 1, therefore spread each market's error evenly over these UTC days:
--
--   u    y - c for the gap, (c - mean c) (y - c - gap) for the slope, over sqrt(D) of the market's D days
--   se   the root of the sum over `n_clusters` categories and days of (sum u)^2, over the number of markets;
--        `slope_se` the same over sum (c - mean c)^2
--
-- `extreme_share` is the share of closes outside [0.03, 0.97]; many of them mean that closes are prices of decided
-- events.
--
-- A guard is judged by the size of its effect, since a small one is significant in a large sample: prices that favour
-- longshots have a slope of 0.94. It breaks
--
--   if |gap| - 3.29 se > 0.02 or |slope - 1| - 3.29 slope_se > 0.15, with at least 200 markets, or
--   if extreme_share > 0.15 with at least 20 markets.
--
-- It mends if |gap| <= 0.02 x 2/3, |slope - 1| <= 0.15 x 2/3 and extreme_share <= 0.15 x 2/3 with at least 200 markets.
-- Both are judged at the clock and at the 12 last Mondays, 0:00 UTC, at or before it, with the markets whose close and
-- payout were known then. `state` is `broken` if the guard broke and has not mended at the same or a later instant;
-- `unknown` for fewer than 200 markets; `warning` if a figure is beyond half of its bound, and its 95 % interval does not
-- hold 0 (of the slope 1); otherwise `held`. If a guard is broken, no closing line value of the kind is served
-- (`metrics.clv_scores`).
-- columns: kind; n_markets, n_clusters, gap DOUBLE, se DOUBLE, slope? DOUBLE, slope_se? DOUBLE, extreme_share, state, is_held?,
-- broken_at?
with bounds as (
  select
    0.02 as gap,
    0.15 as slope,
    0.15 as extreme,
    3.29 as sure,
    200 as markets,
    20 as extreme_markets
),
instants as (
  select as_of as instant
  from core.clock
  union
  select date_trunc('week', as_of) - n * interval 7 days
  from core.clock, range(12) as weeks (n)
),
outcomes as (
  select n.market_index, o.payout
  from core.outcomes o
  join core.ledger_markets n on n.market_id = o.market_id
  where o.payout is not null and o.outcome = 0
),
firsts as (
  select
    f.kind,
    f.market_index,
    arg_min(
      struct_pack(category := f.category, close_at := f.close_at, outcome := f.outcome, price := f.close_price),
      struct_pack(a := f.ts, b := f.trader_index, c := f.outcome, d := f.side)
    ) as fill
  from metrics.clv_edges f
  join core.ledger_markets m on m.market_index = f.market_index
  where f.left_out is null and not f.is_resolved and m.resolved_at is not null and (m.n_outcomes = 2 or f.outcome = 0)
  group by f.kind, f.market_index
),
known as (
  select
    f.kind,
    f.fill.category as category,
    f.fill.close_at::date as day,
    greatest(f.fill.close_at, m.resolved_at)::date as last_day,
    (case when f.fill.outcome = 0 then f.fill.price else 1 - f.fill.price end)::decimal(9, 6) as price,
    o.payout,
    greatest(
      m.resolved_at,
      f.fill.close_at + case f.kind when 'markout_24h' then interval 1 hour else interval 0 hours end
    ) as known_at
  from firsts f
  join core.ledger_markets m on m.market_index = f.market_index
  join outcomes o on o.market_index = f.market_index
),
-- Each market with the first instant that knows it.
markets as (
  select k.*, i.instant
  from known k
  asof join instants i on k.known_at <= i.instant
),
sums as (
  select
    m.kind,
    i.instant,
    count(*) as n,
    count(*) filter (m.price < 0.03 or m.price > 0.97) as n_extreme,
    -- A product of two decimals of 18 digits has 18 digits too, which the square of 1,000 exceeds.
    sum(m.price)::decimal(19, 6) as prices,
    sum(m.payout)::decimal(19, 6) as payouts,
    sum(m.price * m.price)::decimal(24, 12) as squares,
    sum(m.price * m.payout)::decimal(24, 12) as products
  from markets m
  join instants i on m.instant <= i.instant
  group by m.kind, i.instant
),
-- The difference of two almost equal sums is exact: closes that lie near each other have a slope too.
lines as (
  select
    kind,
    instant,
    n,
    n_extreme / n as extreme_share,
    prices::double / n as mean_c,
    (payouts - prices)::double / n as gap,
    (n::decimal(12, 0) * squares - prices * prices)::double / n as spread,
    case when spread > 1e-9 then spread end as scatter,
    (n::decimal(12, 0) * products - prices * payouts)::double / n / scatter as slope
  from sums
),
-- The line at the clock, from which errors are counted: sums of large numbers would leave no digit of their difference.
centres as (
  select l.kind, l.mean_c, l.gap
  from lines l
  join core.clock c on c.as_of = l.instant
),
news as (
  select
    m.kind,
    m.instant,
    m.category,
    unnest(range(m.day, m.last_day + 1, interval 1 day)) as day,
    1 / sqrt(m.last_day - m.day + 1) as part,
    m.price::double - c.mean_c as off_close,
    (m.payout - m.price)::double as error,
    error - c.gap as off_error
  from markets m
  join centres c on c.kind = m.kind
),
-- The sums of a category and day, by the instant that knows them. The error of the slope is linear in them.
dailies as (
  select
    kind,
    instant,
    category,
    day,
    sum(part::decimal(38, 20)) as parts,
    sum((part * off_close)::decimal(38, 20)) as closes,
    sum((part * error)::decimal(38, 20)) as errors,
    sum((part * off_error)::decimal(38, 20)) as off_errors,
    sum((part * off_close * off_error)::decimal(38, 20)) as products
  from news
  group by kind, instant, category, day
),
clusters as (
  select
    d.kind,
    i.instant,
    sum(d.errors)::double as gap_error,
    (
      sum(d.products)::double - (l.mean_c - c.mean_c) * sum(d.off_errors)::double
      - (l.gap - c.gap) * sum(d.closes)::double
      + (l.mean_c - c.mean_c) * (l.gap - c.gap) * sum(d.parts)::double
    ) / l.scatter as slope_error
  from dailies d
  join instants i on d.instant <= i.instant
  join lines l on l.kind = d.kind and l.instant = i.instant
  join centres c on c.kind = d.kind
  group by d.kind, i.instant, d.category, d.day, l.mean_c, l.gap, l.scatter, c.mean_c, c.gap
),
errors as (
  select
    kind,
    instant,
    count(*) as n_clusters,
    sqrt(sum((gap_error * gap_error)::decimal(38, 24))::double) as gap_error,
    sqrt(sum((slope_error * slope_error)::decimal(38, 24))::double) as slope_se
  from clusters
  group by kind, instant
),
figures as (
  select l.*, e.n_clusters, e.gap_error / l.n as se, e.slope_se, abs(l.gap) as gap_size, abs(l.slope - 1) as slope_size
  from lines l
  join errors e on e.kind = l.kind and e.instant = l.instant
),
judged as (
  select
    f.*,
    f.n >= b.markets as is_known,
    (f.n >= b.markets and (f.gap_size - b.sure * f.se > b.gap or coalesce(f.slope_size - b.sure * f.slope_se > b.slope, false)))
      or (f.n >= b.extreme_markets and f.extreme_share > b.extreme) as is_breaking,
    f.n >= b.markets and f.gap_size <= b.gap * 2 / 3 and coalesce(f.slope_size <= b.slope * 2 / 3, true)
      and f.extreme_share <= b.extreme * 2 / 3 as is_mending,
    (f.gap_size > b.gap / 2 and f.gap_size > 1.96 * f.se)
      or coalesce(f.slope_size > b.slope / 2 and f.slope_size > 1.96 * f.slope_se, false)
      or f.extreme_share > b.extreme / 2 as is_warning
  from figures f
  cross join bounds b
),
histories as (
  select
    kind,
    max(instant) filter (is_breaking) as broken_at,
    max(instant) filter (is_mending) as mended_at
  from judged
  group by kind
),
stated as (
  select
    j.*,
    case when h.broken_at > coalesce(h.mended_at, timestamp '0001-01-01') then h.broken_at end as broken_at,
    case
      when h.broken_at > coalesce(h.mended_at, timestamp '0001-01-01') then 'broken'
      when not j.is_known then 'unknown'
      when j.is_warning then 'warning'
      else 'held'
    end as state
  from judged j
  join histories h on h.kind = j.kind
  join core.clock c on c.as_of = j.instant
)
select
  kind,
  n as n_markets,
  n_clusters,
  gap,
  se,
  slope,
  slope_se,
  extreme_share,
  state,
  case state when 'unknown' then null else state <> 'broken' end as is_held,
  broken_at
from stated
