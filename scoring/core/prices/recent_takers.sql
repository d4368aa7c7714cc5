-- The ordered input of the fold: the takers on the tape of a market, by market, outcome and instant.
-- columns: market_index, outcome, ts_us BIGINT, trader_index
select
  market_index::integer as market_index,
  outcome::integer as outcome,
  epoch_us(ts) as ts_us,
  trader_index::integer as trader_index
from core.prints
where size > 0
order by market_index, outcome, ts, trader_index
