-- What the book said of outcome 0 at an instant. `mid` is there only where both sides are and the spread is at most
-- 0.10: a wider book is no price.
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
