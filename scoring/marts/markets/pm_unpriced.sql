-- The number of markets of a venue that `pm_markets` leaves out because they have no known price.
-- publication: pulse
-- prune: fills older than 24 hours, fills of accounts, activity of accounts, coverage of accounts
-- columns: platform; n_markets, n_open
select m.venue as platform, count(*) as n_markets, count(*) filter (m.is_open) as n_open
from core.market_states m
join metrics.market_odds o on o.market_id = m.market_id
cross join core.clock c
where
  o.yes_price is null
  and (m.is_open or coalesce(m.closed_at, m.reported_at, c.as_of) > c.as_of - interval 24 hours)
group by m.venue
