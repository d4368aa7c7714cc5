-- The number of a trader, in the order of the names. The ledger sorts and folds numbers; its results get the names
-- back. A trader with only undescribed markets has a number too, and no fills.
-- numbers: trader_index by trader
-- columns: trader_index; trader
select distinct trader_index, trader
from core.trader_addresses
