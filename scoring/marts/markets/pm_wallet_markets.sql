-- A trader's result in each market, the detail of the profile. `volume` leaves out trades of the trader with itself.
-- columns: address, market_id; question, cost DECIMAL(18,2), pnl DECIMAL(18,2), volume DECIMAL(18,2), last_at, closed_at?
select
  t.trader as address,
  t.market_id,
  m.question,
  -- Numbers of 64 bits: those of 128 take a tenfold time to round, to store and to read.
  t.cost_usd::decimal(18, 6)::decimal(18, 2) as cost,
  t.pnl_usd::decimal(18, 6)::decimal(18, 2) as pnl,
  t.volume_usd::decimal(18, 6)::decimal(18, 2) as volume,
  t.last_at,
  t.closed_at
from core.trader_markets t
join core.markets m on m.market_id = t.market_id
