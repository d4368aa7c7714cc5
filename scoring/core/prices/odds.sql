-- The order book's prices of outcome 0 at an instant. `mid` requires both sides and a spread of at most 0.10: a wider
-- book gives no price.
-- A pushed row has no last price.
-- columns: market_id, ts; bid?, ask?, mid?, last?, is_pushed
select
  market_id,
  ts,
  bid,
  ask,
  case when ask >= bid and ask - bid <= 0.10 then (bid + ask) / 2 end as mid,
  "last",
  source = 'polymarket_book' as is_pushed
from staging.quotes
where period_s = 0
