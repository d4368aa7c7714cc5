-- A row of the dictionary of assets, which holds from `valid_at` to the asset's next row: as it was last seen up to the
-- clock, else as it was first seen after it. The tracked assets are the universe of mindshare.
-- columns: asset_id, valid_at; symbol, name, market_rank? INTEGER, is_tracked, tokens VARCHAR[]
select asset_id, valid_at, upper(symbol) as symbol, name, market_rank, is_tracked, tokens
from lake.assets
cross join core.clock c
qualify row_number() over (
  partition by asset_id, valid_at
  order by seen_at <= c.as_of desc, case when seen_at <= c.as_of then seen_at end desc, seen_at, source
) = 1
