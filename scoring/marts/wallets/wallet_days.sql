-- A wallet's result by UTC day on a chain, the time line of `marts.wallet`. `equity` is the ranked realized result so
-- far, and `drawdown` its fall from the highest equity of an earlier day, or from 0. `unranked` results are no part of
-- them. The last equity is `realized_all_time` of `marts.wallet`. A day without a trade has no row.
-- columns: address, chain, day; pnl DECIMAL(38,2), unranked DECIMAL(38,2), equity DECIMAL(38,2), drawdown DECIMAL(38,2),
-- bought DECIMAL(38,2), sold DECIMAL(38,2)
with days as (
  select
    wallet,
    chain,
    day,
    sum(realized_usd) as realized_usd,
    sum(unranked_usd) as unranked_usd,
    sum(bought_usd) as bought_usd,
    sum(sold_usd) as sold_usd
  from core.wallet_days
  where token <> ''
  group by wallet, chain, day
),
summed as (
  select *, sum(realized_usd) over (partition by wallet, chain order by day) as equity_usd
  from days
),
fallen as (
  select *, greatest(max(equity_usd) over (partition by wallet, chain order by day), 0) - equity_usd as drawdown_usd
  from summed
)
select
  wallet as address,
  chain,
  day,
  realized_usd::decimal(38, 2) as pnl,
  unranked_usd::decimal(38, 2) as unranked,
  equity_usd::decimal(38, 2) as equity,
  drawdown_usd::decimal(38, 2) as drawdown,
  bought_usd::decimal(38, 2) as bought,
  sold_usd::decimal(38, 2) as sold
from fallen
