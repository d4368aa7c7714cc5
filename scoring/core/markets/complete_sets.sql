-- Complete sets that a trader bought at once for less than their payout of one dollar. A set is all outcomes of a
-- market, or YES of all candidates of a neg-risk group. At most 60 seconds separate one purchase from the next.
-- `cluster_id` is the market or the group. `size` is the smallest size bought of any outcome. The cost of a set is
-- the sum of the outcomes' mean prices, before fees.
-- columns: trader, cluster_id, ts; n_outcomes, size, cost_usd
with groups as (
  select neg_risk_id, count(*) as n_legs
  from core.markets
  where neg_risk_id is not null
  group by neg_risk_id
),
buys as (
  select f.trader, f.market_id, f.outcome, f.ts, f.seq, f.size, f.cash_usd, m.n_outcomes, m.neg_risk_id
  from core.fills f
  join core.markets m on m.market_id = f.market_id
  where f.side = 'buy' and f.trader <> ''
),
legs as (
  select trader, market_id as cluster_id, outcome::varchar as leg, n_outcomes as n_legs, ts, seq, size, cash_usd
  from buys
  union all
  select b.trader, b.neg_risk_id, b.market_id, g.n_legs, b.ts, b.seq, b.size, b.cash_usd
  from buys b
  join groups g on g.neg_risk_id = b.neg_risk_id
  where b.outcome = 0 and g.n_legs > 1
),
-- Only traders who ever bought all of them can have bought a set; the others need no sorting.
able as (
  select trader, cluster_id
  from legs
  group by trader, cluster_id
  having count(distinct leg) = any_value(n_legs)
),
marked as (
  select
    l.*,
    l.ts - lag(l.ts) over (partition by l.trader, l.cluster_id order by l.ts, l.seq) <= interval 60 seconds as is_next
  from legs l
  semi join able a on a.trader = l.trader and a.cluster_id = l.cluster_id
),
numbered as (
  select
    *,
    sum((not coalesce(is_next, false))::integer) over (partition by trader, cluster_id order by ts, seq) as turn
  from marked
),
sums as (
  select trader, cluster_id, turn, leg, any_value(n_legs) as n_legs, min(ts) as ts, sum(size) as size, sum(cash_usd) as cash_usd
  from numbered
  group by trader, cluster_id, turn, leg
),
bought as (
  select
    trader,
    cluster_id,
    min(ts) as ts,
    count(*) as n_outcomes,
    min(size) as size,
    sum((cash_usd / size)::decimal(18, 12)) as price
  from sums
  group by trader, cluster_id, turn
  having count(*) = any_value(n_legs)
)
select trader, cluster_id, ts, n_outcomes, size, size::double * price::double as cost_usd
from bought
where price < 1
