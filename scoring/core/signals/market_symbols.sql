-- The questions of markets, for the fold that finds the assets in them.
-- columns: market_id; question
select market_id, question
from core.market_states
order by market_id
