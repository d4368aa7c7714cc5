-- A trader's markets of a category over all time: what was paid in, and the result. Markets count from 1 USD paid in.
-- `cost_share` is the part of the trader's cost of all of them. The category of a market that is not known is the empty
-- text.
-- columns: trader, category; n_markets, n_closed, cost_usd, pnl_usd, volume_usd, cost_share
with categories as (
  select
    t.trader,
    coalesce(m.category, '') as category,
    count(*) as n_markets,
    count(t.closed_at) as n_closed,
    sum(t.cost_usd) as cost_usd,
    sum(t.pnl_usd) as pnl_usd,
    sum(t.volume_usd) as volume_usd
  from core.trader_markets t
  join core.markets m on m.market_id = t.market_id
  where t.cost_usd >= 1
  group by t.trader, coalesce(m.category, '')
)
select
  *,
  cost_usd / sum(cost_usd) over (partition by trader) as cost_share
from categories
