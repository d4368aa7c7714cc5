-- The trader of an address that has another name: a further wallet of an owner, or the owner itself
-- (`core.trader_addresses`). An address without a row is its own trader.
-- columns: address; trader
select wallet as address, trader
from core.trader_addresses
where wallet <> trader
