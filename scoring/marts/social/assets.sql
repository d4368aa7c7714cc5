-- The names of the tracked assets, by which questions in words find their symbols.
-- columns: symbol; asset_id, name, market_rank? INTEGER
select symbol, asset_id, name, market_rank
from core.assets
