-- The order book's prices of outcome 0 at an instant. `mid` requires both sides and a spread of at most 0.10: a wider
-- book gives no price.
-- columns: market_id, ts; bid?, ask?, mid?, last?
select
  market_id,
  ts,
  bid,
  ask,
  case when ask >= bid and ask - bid <= 0.10 then (bid + ask) / 2 end as mid,
  "last"
from staging.quotes
where period_s = 0
