-- A trader's exposure by category of market over all time (`metrics.trader_categories`), the detail of the profile. The
-- category of a market that is not known is the empty text.
-- columns: address, category; n_markets, n_closed, cost DECIMAL(18,2), pnl DECIMAL(18,2), cost_share
select
  trader as address,
  category,
  n_markets,
  n_closed,
  cost_usd::decimal(18, 2) as cost,
  pnl_usd::decimal(18, 2) as pnl,
  cost_share
from metrics.trader_categories
