-- The realized result of an address by UTC day and place, a venue or a chain: `from core.pnl_by_day('0x…')`, with an
-- EVM address in any case. A day with neither a trade nor a result has no row. `pnl_usd` is net of fees, and of the gas
-- of trades; unranked results of chains are no part of it (`core.wallet_days`). `equity_usd` is its sum so far in the place. An unknown address has no rows.
-- parameter: address
-- columns: day, place, pnl_usd, equity_usd
with
of_place as (
  select d.day, split_part(d.market_id, ':', 1) as place, sum(d.realized_usd) as pnl_usd
  from core.trader_days d
  where d.trader = lower(address)
  group by d.day, split_part(d.market_id, ':', 1)
  union all
  select d.day, d.chain, sum(d.realized_usd)
  from core.wallet_days d
  where d.wallet = case when starts_with(lower(address), '0x') then lower(address) else address end
  group by d.day, d.chain
)
select
  p.day,
  p.place,
  p.pnl_usd::decimal(38, 6) as pnl_usd,
  (sum(p.pnl_usd) over (partition by p.place order by p.day))::decimal(38, 6) as equity_usd
from of_place p
order by p.day, p.place
