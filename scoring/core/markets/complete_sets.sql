-- Complete sets that a trader bought at once for less than their payout of one dollar. A set is all outcomes of a
-- market, or YES of all candidates of a neg-risk group. At most 60 seconds separate one purchase from the next.
-- `cluster_id` is the market or the group. `size` is the smallest size bought of any outcome. The cost of a set is
-- the sum of the outcomes' mean prices, before fees.
-- columns: trader, cluster_id, ts; n_outcomes, size, cost_usd
with groups as (
  select group_index, count(*) as n_legs
  from core.ledger_markets
  where neg_risk_id is not null
  group by group_index
),
markets as (
  select m.market_index, m.n_outcomes, m.group_index, g.n_legs
  from core.ledger_markets m
  left join groups g on g.group_index = m.group_index
),
buys as (
  select f.trader_index, f.market_index, f.outcome, f.ts, f.seq, f.size, f.cash_usd, m.n_outcomes, m.group_index, m.n_legs
  from core.fills f
  join markets m on m.market_index = f.market_index
  where f.side = 'buy' and f.size > 0
),
legs as (
  -- The number of a group is that of a market in it.
  select trader_index, market_index as cluster, false as is_group, outcome as leg, n_outcomes as n_legs, ts, seq, size, cash_usd
  from buys
  union all
  select trader_index, group_index, true, market_index, n_legs, ts, seq, size, cash_usd
  from buys
  where outcome = 0 and n_legs > 1
),
-- Only traders who ever bought all of them can have bought a set; the others need no sorting.
able as (
  select trader_index, cluster, is_group
  from legs
  group by trader_index, cluster, is_group
  having count(distinct leg) = any_value(n_legs)
),
marked as (
  select
    l.*,
    l.ts - lag(l.ts) over (partition by l.trader_index, l.cluster, l.is_group order by l.ts, l.seq) <= interval 60 seconds as is_next
  from legs l
  semi join able a on a.trader_index = l.trader_index and a.cluster = l.cluster and a.is_group = l.is_group
),
numbered as (
  select
    *,
    sum((not coalesce(is_next, false))::integer) over (partition by trader_index, cluster, is_group order by ts, seq) as turn
  from marked
),
sums as (
  select trader_index, cluster, is_group, turn, leg, any_value(n_legs) as n_legs, min(ts) as ts, sum(size) as size, sum(cash_usd) as cash_usd
  from numbered
  group by trader_index, cluster, is_group, turn, leg
),
bought as (
  select
    trader_index,
    cluster,
    is_group,
    min(ts) as ts,
    count(*) as n_outcomes,
    min(size) as size,
    sum((cash_usd / size)::decimal(38, 12)) as price
  from sums
  group by trader_index, cluster, is_group, turn
  having count(*) = any_value(n_legs)
)
select
  t.trader,
  case when b.is_group then m.neg_risk_id else m.market_id end as cluster_id,
  b.ts,
  b.n_outcomes,
  b.size,
  b.size::double * b.price::double as cost_usd
from bought b
join core.ledger_traders t on t.trader_index = b.trader_index
join core.ledger_markets m on m.market_index = b.cluster
where b.price < 1
