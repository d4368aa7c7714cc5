-- The posts that name an asset, platform by platform in the order of time, for the fold of near-duplicates.
-- columns: platform, post_id; ts_us DOUBLE, simhash UBIGINT
select platform, post_id, epoch_us(ts)::double as ts_us, simhash
from (select distinct platform, post_id, ts, simhash from staging.mentions)
order by platform, ts, post_id
