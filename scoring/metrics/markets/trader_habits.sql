-- How a trader holds and loses, over all time, for analysts. Markets count from 1 USD paid in.
--
--   entry_price     mean price of the purchases before fees, by shares
--   holding_s       mean time from the first move in a market until it closed for the trader (`core.trader_markets`), over
--                   closed markets, by the cost
--   drawdown_usd    the largest fall of the sum of realized results, by UTC days, from an earlier peak; the peak before
--                   the first day is 0
--   top_category    the category with the highest cost (`metrics.trader_categories`), the last by name among equals;
--                   top_category_share is its part of the cost, n_categories the number of categories.
-- columns: trader; entry_price? DECIMAL(9,6), holding_s? DOUBLE, drawdown_usd, top_category, top_category_share, n_categories
with held as (
  select
    trader,
    sum((cost_usd::double * epoch(closed_at - first_at))::decimal(38, 6)) filter (closed_at >= first_at)::double as held,
    sum(cost_usd) filter (closed_at >= first_at)::double as cost
  from core.trader_markets
  where cost_usd >= 1
  group by trader
),
tops as (
  select
    trader,
    arg_max(category, struct_pack(a := cost_usd, b := category)) as top_category,
    max(cost_share) as top_category_share,
    count(*) as n_categories
  from metrics.trader_categories
  group by trader
),
days as (
  select trader, day, sum(realized_usd) as realized_usd
  from core.trader_days
  group by trader, day
),
sums as (
  select trader, day, sum(realized_usd) over (partition by trader order by day) as total_usd
  from days
),
peaks as (
  select trader, greatest(0, max(total_usd) over (partition by trader order by day)) - total_usd as fall_usd
  from sums
),
falls as (
  select trader, max(fall_usd) as drawdown_usd
  from peaks
  group by trader
)
select
  r.trader,
  s.entry_price,
  h.held / h.cost as holding_s,
  coalesce(f.drawdown_usd, 0) as drawdown_usd,
  coalesce(t.top_category, '') as top_category,
  coalesce(t.top_category_share, 0) as top_category_share,
  coalesce(t.n_categories, 0) as n_categories
from metrics.trader_results r
left join core.ledger_traders n on n.trader = r.trader
left join metrics.trader_styles s on s.trader_index = n.trader_index
left join held h on h.trader = r.trader
left join tops t on t.trader = r.trader
left join falls f on f.trader = r.trader
where r.range = 'all'
