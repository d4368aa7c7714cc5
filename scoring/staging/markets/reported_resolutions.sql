-- A market's final payout vector, at the time that its source gives, as known at the clock; a correction is a later
-- row. If two sources have the same market, the preferred one counts. `staging.resolutions` has the same reports, dated
-- by the redemptions too. This table reads no activity, so that the odds are published within seconds.
-- columns: market_id, ts; venue, payouts DECIMAL(9,6)[], status, tx?, source
with preferred as (
  select r.*
  from lake.resolutions r
  left join staging.precedences p on p.dataset = 'resolutions' and p.source = r.source
  where r.ts <= (select as_of from core.clock)
  qualify coalesce(p.precedence, 0) = max(coalesce(p.precedence, 0)) over (partition by r.market_id)
)
-- A market whose closing hour was corrected upstream is in the units of both hours.
select market_id, ts, venue, payouts, status, tx, source
from preferred
qualify row_number() over (partition by market_id, ts order by source, payouts, tx) = 1
