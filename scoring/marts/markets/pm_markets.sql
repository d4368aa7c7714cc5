-- The markets that were open within the last 24 hours, as `/v1/pm-markets` serves them, with the method of each figure.
-- A market that takes no orders now and has no known closing time is included, since it may have been traded. A market
-- without any price is left out: `pm_unpriced` counts these.
-- publication: pulse
-- prune: fills older than 24 hours, fills of accounts, activity of accounts, coverage of accounts
-- columns: id; question, yes_price, no_price, volume_24h DECIMAL(38,2), platform, is_open, event_id, yes_method, yes_at?,
-- volume_method
select
  m.market_id as id,
  m.question,
  o.yes_price,
  1 - o.yes_price as no_price,
  o.volume_24h_usd::decimal(38, 2) as volume_24h,
  m.venue as platform,
  m.is_open,
  m.event_id,
  o.yes_method,
  o.yes_at,
  o.volume_method
from core.market_states m
join metrics.market_odds o on o.market_id = m.market_id
cross join core.clock c
where
  o.yes_price is not null
  and (m.is_open or coalesce(m.closed_at, m.reported_at, c.as_of) > c.as_of - interval 24 hours)
