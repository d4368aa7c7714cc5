-- Every market, without volume, for those that `pm_markets` does not have: nobody traded in them for 24 hours. The pulse
-- goes on between two scores, so a market that is open here may have left it since: then it has closed. What is in
-- both counts as `pm_markets` has it.
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
from core.markets m
join metrics.market_odds o on o.market_id = m.market_id
