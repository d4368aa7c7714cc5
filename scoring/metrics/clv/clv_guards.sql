-- Tests whether the closes of each kind are unbiased prices from before the event was decided. The input is one row
-- for each resolved market: the mean close of its scored fills. Markets of one event win and lose together, so errors
-- are clustered by event. There are two subsets:
--
--   all       gap = mean(payout - close) of outcome 0: 0 within chance if closes are calibrated. At most 15 % of the closes
--             may lie outside [0.03, 0.97]; a larger share means that closes are prices of decided events.
--   positive  the same over fills with an edge above 0, for the side that they bought (or kept, by a sale). These must win
--             as often as the close says. More wins mean that the close is too early or knows the outcome; fewer wins mean
--             that it is noise.
--   se        sqrt(E / (E - 1) sum over events of (sum over its markets of (their gap - gap))^2) / markets, E events
--
-- `is_held`: |gap| <= 2.58 se, and for the subset of all closes also the share of extreme ones. It is null below 200
-- markets, unless that share is exceeded.
-- columns: kind, subset; n_markets, n_events, gap DOUBLE, se? DOUBLE, extreme_share, is_held?
with fills as (
  select
    f.kind,
    f.event_id,
    f.market_id,
    f.edge_points > 0 as is_positive,
    case when f.outcome = 0 then f.close_price else 1 - f.close_price end as first_close,
    first.payout as first_payout,
    case f.side when 'buy' then own.payout - f.close_price else f.close_price - own.payout end as own_gap,
    f.close_price < 0.03 or f.close_price > 0.97 as is_extreme
  from metrics.clv_fills f
  join core.markets m on m.market_id = f.market_id
  join core.outcomes own on own.market_id = f.market_id and own.outcome = f.outcome
  join core.outcomes first on first.market_id = f.market_id and first.outcome = 0
  where f.left_out is null and own.payout is not null and (m.n_outcomes = 2 or f.outcome = 0)
),
markets as (
  select
    kind,
    'all' as subset,
    event_id,
    market_id,
    avg(first_payout - first_close)::decimal(18, 12) as gap,
    avg(is_extreme::integer)::decimal(18, 12) as extreme_share
  from fills
  group by kind, event_id, market_id
  union all
  select kind, 'positive', event_id, market_id, avg(own_gap)::decimal(18, 12), avg(is_extreme::integer)::decimal(18, 12)
  from fills
  where is_positive
  group by kind, event_id, market_id
),
means as (
  select kind, subset, count(*) as n_markets, avg(gap) as gap, avg(extreme_share) as extreme_share
  from markets
  group by kind, subset
),
events as (
  select
    kind,
    subset,
    m.event_id,
    pow(sum((m.gap - t.gap)::decimal(18, 12))::double, 2)::decimal(38, 12) as squared
  from markets m
  join means t using (kind, subset)
  group by kind, subset, m.event_id
),
errors as (
  select kind, subset, count(*) as n_events, sum(squared)::double as squared
  from events
  group by kind, subset
),
guards as (
  select
    m.*,
    e.n_events,
    sqrt(e.n_events / nullif(e.n_events - 1, 0) * e.squared) / m.n_markets as se
  from means m
  join errors e using (kind, subset)
)
select
  kind,
  subset,
  n_markets,
  n_events,
  gap,
  se,
  extreme_share,
  (subset <> 'all' or extreme_share <= 0.15) and case when n_markets >= 200 then abs(gap) <= 2.58 * se end as is_held
from guards
