-- Prices of outcome 0 as observed up to the clock, one row a change. If two sources have the same instant, the
-- preferred one counts.
-- columns: market_id, ts, period_s; venue, bid?, ask?, last?, size?, volume_24h_usd?, size_24h?, venue_price? DECIMAL(9,6),
-- liquidity_usd?, source
with known as (
  select q.*, coalesce(p.precedence, 0) as precedence
  from lake.quotes q
  left join staging.precedences p on p.dataset = 'quotes' and p.source = q.source
  where q.ts <= (select as_of from core.clock)
),
higher as (
  select market_id, ts, period_s, precedence
  from known
  where precedence > (select min(precedence) from staging.precedences where dataset = 'quotes')
)
select market_id, ts, period_s, venue, bid, ask, "last", size, volume_24h_usd, size_24h, venue_price,
  liquidity_usd, source
from known k
where not exists (
  from higher h
  where h.market_id = k.market_id and h.ts = k.ts and h.period_s = k.period_s and h.precedence > k.precedence
)
