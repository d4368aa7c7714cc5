-- The traders whose trades can be signals: the lower 95 % bound of their closing line value beyond 0 and their role is
-- above 0 (`skill_points - 1.645 skill_se` of `metrics.clv_scores`), and they have at least 20 trades of 90 days. A trade is what a trader bought or sold of one
-- outcome in one transaction; trades of the last hour are tested, so they are no part of the comparison.
--
--   clv_points, se  skill_points and skill_se
--   confidence    the probability that the closing line value is beyond 0 and the role, Phi(clv_points / se)
--   threshold_usd the larger of 1,000 USD and the 95th percentile u of the trader's own trades
--   tail_share    the share of the trades from u on: (k + 1) / (n + 1), k of n trades
--   tail_shape, tail_scale  the tail above u: a Pareto tail whose exponent has a Gamma prior of shape 2 and rate 1.
--                           The k excesses ln(x / u) give a = 2 + k and b = 1 + their sum. The chance of a trade of at
--                           least x is tail_share (b / (b + ln(x / u))) ^ a. It stays above the chance of the largest
--                           known trade until n is large.
-- columns: trader; clv_points DECIMAL(18,12), se DOUBLE, confidence DOUBLE, n_trades, threshold_usd, tail_share, tail_shape DOUBLE,
-- tail_scale DOUBLE, archetype
with proven as (
  select trader, skill_points as clv_points, skill_se as se, skill_points::double / skill_se as z
  from metrics.clv_scores
  where range = 'all' and is_trusted and skill_se > 0 and skill_points - 1.645 * skill_se > 0
),
trades as (
  select f.trader, f.tx, f.market_id, f.outcome, f.side, sum(f.cash_usd) as usd
  from core.fills f
  cross join core.clock c
  where f.ts > c.as_of - interval 2160 hours and f.ts <= c.as_of - interval 1 hour
    and f.trader in (select p.trader from proven p)
  group by all
),
thresholds as (
  select
    trader,
    count(*) as n_trades,
    greatest(1000, quantile_cont(usd::double, 0.95))::decimal(38, 6) as threshold_usd
  from trades
  group by trader
  having count(*) >= 20
),
tails as (
  select
    h.trader,
    any_value(h.n_trades) as n_trades,
    any_value(h.threshold_usd) as threshold_usd,
    count(t.usd) as n_above,
    coalesce(sum(ln(t.usd::double / h.threshold_usd::double)::decimal(18, 9)), 0) as excess
  from thresholds h
  left join trades t on t.trader = h.trader and t.usd >= h.threshold_usd
  group by h.trader
)
select
  t.trader,
  p.clv_points,
  p.se,
  -- The upper tail of the normal distribution by Abramowitz and Stegun 26.2.17; its error is below 1e-7.
  1 - exp(-p.z * p.z / 2) / sqrt(2 * pi()) / (1 + 0.2316419 * p.z) * (
    0.319381530 + (1 / (1 + 0.2316419 * p.z)) * (
      -0.356563782 + (1 / (1 + 0.2316419 * p.z)) * (
        1.781477937 + (1 / (1 + 0.2316419 * p.z)) * (-1.821255978 + 1.330274429 / (1 + 0.2316419 * p.z))
      )
    )
  ) as confidence,
  t.n_trades,
  t.threshold_usd,
  (t.n_above + 1) / (t.n_trades + 1) as tail_share,
  2 + t.n_above as tail_shape,
  1 + t.excess::double as tail_scale,
  r.archetype
from tails t
join proven p on p.trader = t.trader
join metrics.trader_traits r on r.trader = t.trader
