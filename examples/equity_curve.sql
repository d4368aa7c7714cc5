-- The equity curve of a trader: the realized profit and loss of each UTC day, and its sum so far.
--
-- `core.pnl_by_day('0x…')` gives the same for a known address, by venue and chain.
with
most_profitable as (
  select address as trader
  from marts.pm_wallet
  where is_complete
  order by total_pnl desc, address
  limit 1
),
-- Replace this by a trader: select '0x…' as trader, in lower case.
chosen as (
  from most_profitable
)
select
  d.trader,
  d.day,
  sum(d.realized_usd) as realized_usd,
  sum(sum(d.realized_usd)) over (order by d.day) as equity_usd
from chosen c
join core.trader_days d on d.trader = c.trader
group by d.trader, d.day
order by d.day;
