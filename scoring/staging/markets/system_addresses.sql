-- A venue's own contract, which appears in its feeds beside traders: an exchange, an adapter, the contract of the
-- outcome tokens. The registry lists them by venue (`core.venues`), in lower case.
-- columns: address; label
select distinct on (address) address, label
from (select venue, unnest(system_addresses) as address, unnest(system_labels) as label from core.venues)
order by address, venue
