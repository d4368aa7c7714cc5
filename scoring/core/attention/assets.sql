-- The tracked universe as of the clock. If two tracked assets have the same symbol, the larger one counts.
-- columns: symbol; asset_id, name, market_rank? INTEGER, tokens VARCHAR[]
with present as (
  select *
  from staging.assets
  where valid_at <= (select as_of from core.clock)
  qualify row_number() over (partition by asset_id order by valid_at desc) = 1
)
select symbol, asset_id, name, market_rank, tokens
from present
where is_tracked
qualify row_number() over (partition by symbol order by market_rank nulls last, asset_id) = 1
