-- A trader's UTC day in a market: its fills, volume, fees and realized profit and loss. `volume_usd` and `maker_usd`
-- leave out trades of the trader with itself.
-- columns: trader, day, market_id; n_fills, volume_usd, maker_usd, fees_usd, realized_usd
with traded as (
  select
    trader,
    ts::date as day,
    market_id,
    count(*) as n_fills,
    sum(cash_usd) filter (not is_self) as volume_usd,
    sum(cash_usd) filter (role = 'maker' and not is_self) as maker_usd,
    sum(fee_usd) as fees_usd
  from core.fills
  group by all
),
realized as (
  select trader, ts::date as day, market_id, sum(pnl_usd) as realized_usd
  from core.realizations
  group by all
)
select
  trader,
  day,
  market_id,
  coalesce(t.n_fills, 0) as n_fills,
  coalesce(t.volume_usd, 0) as volume_usd,
  coalesce(t.maker_usd, 0) as maker_usd,
  coalesce(t.fees_usd, 0) as fees_usd,
  coalesce(r.realized_usd, 0) as realized_usd
from traded t
full join realized r using (trader, day, market_id)
