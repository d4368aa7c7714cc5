-- A venue's own contract, which appears in its feeds and logs beside traders: an exchange, an adapter, a fee module, the
-- contract of the outcome tokens, a pool. The registry lists them by venue (`core.venues`), in lower case. A chain shows
-- the pools.
-- columns: address; label
select distinct on (address) address, label
from (
  select 0 as place, venue, unnest(system_addresses) as address, unnest(system_labels) as label
  from core.venues
  union all
  select 1, venue, address, label
  from lake.venue_contracts
)
order by address, place, venue
