-- Prices of outcome 0 as observed up to the clock, one row a change.
-- columns: market_id, ts, period_s; venue, bid?, ask?, last?, size?, volume_24h_usd?, size_24h?, source
select market_id, ts, period_s, venue, bid, ask, "last", size, volume_24h_usd, size_24h, source
from lake.quotes
where ts <= (select as_of from core.clock)
