-- A trader's result by UTC day, the time line of the profile. `equity` is the realized result so far, and `drawdown` its
-- fall from the highest equity of an earlier day, or from 0. The last equity is `total_pnl` of `marts.pm_wallet`. A day
-- with neither a fill nor a result has no row.
-- columns: address, day; pnl DECIMAL(18,2), equity DECIMAL(18,2), drawdown DECIMAL(18,2), volume DECIMAL(18,2), n_fills
with days as (
  select
    trader,
    day,
    sum(realized_usd) as realized_usd,
    sum(volume_usd) as volume_usd,
    sum(n_fills) as n_fills
  from core.trader_days
  group by trader, day
),
summed as (
  select *, sum(realized_usd) over (partition by trader order by day) as equity_usd
  from days
),
fallen as (
  select *, greatest(max(equity_usd) over (partition by trader order by day), 0) - equity_usd as drawdown_usd
  from summed
)
select
  trader as address,
  day,
  realized_usd::decimal(18, 2) as pnl,
  equity_usd::decimal(18, 2) as equity,
  drawdown_usd::decimal(18, 2) as drawdown,
  volume_usd::decimal(18, 2) as volume,
  n_fills
from fallen
