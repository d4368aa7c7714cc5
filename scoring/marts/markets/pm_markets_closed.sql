-- Every market with a price, without volume. It serves the markets that are not in `pm_markets`, which had no trade for
-- 24 hours. The pulse is newer than the scores. A market that is open here and missing from the pulse has closed. A
-- market in both counts as in `pm_markets`.
-- columns: id; question, yes_price, no_price, volume_24h DECIMAL(38,2), platform, is_open, event_id, yes_method, yes_at?,
-- volume_method
select
  m.market_id as id,
  m.question,
  o.yes_price,
  1 - o.yes_price as no_price,
  0 as volume_24h,
  m.venue as platform,
  m.is_open,
  m.event_id,
  o.yes_method,
  o.yes_at,
  o.volume_method
from core.market_states m
join metrics.market_odds o on o.market_id = m.market_id
where o.yes_price is not null
