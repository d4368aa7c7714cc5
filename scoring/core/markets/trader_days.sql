-- A trader's UTC day in a market: its fills, volume, fees and realized profit and loss. `volume_usd` and `maker_usd`
-- leave out trades of the trader with itself.
-- ordered: no
-- columns: trader, day, market_id; n_fills, volume_usd, maker_usd, fees_usd, realized_usd
with traded as (
  select
    trader_index,
    ts::date as day,
    market_index,
    count(*) as n_fills,
    sum(cash_usd) filter (not is_self) as volume_usd,
    sum(cash_usd) filter (role = 'maker' and not is_self) as maker_usd,
    sum(fee_usd) as fees_usd
  from core.fills
  group by all
),
realized as (
  select trader_index, ts::date as day, market_index, sum(pnl_usd) as realized_usd
  from core.realizations
  group by all
),
days as (
  select trader_index, day, market_index, n_fills, volume_usd, maker_usd, fees_usd, realized_usd
  from traded
  full join realized using (trader_index, day, market_index)
  -- The order of the key, by numbers. The texts would make rows of four times the size to sort.
  order by trader_index, day, market_index
)
select
  n.trader,
  d.day,
  m.market_id,
  coalesce(d.n_fills, 0) as n_fills,
  coalesce(d.volume_usd, 0) as volume_usd,
  coalesce(d.maker_usd, 0) as maker_usd,
  coalesce(d.fees_usd, 0) as fees_usd,
  coalesce(d.realized_usd, 0) as realized_usd
from days d
join core.ledger_traders n on n.trader_index = d.trader_index
join core.ledger_markets m on m.market_index = d.market_index
