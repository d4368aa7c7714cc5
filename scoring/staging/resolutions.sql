-- A market's final payout vector, known at the clock; a correction is a later row. Of two sources that tell of the
-- same market the preferred one counts.
-- columns: market_id, ts; venue, payouts DECIMAL(9,6)[], status, tx?, source
with preference as (
  select source, max(precedence) as precedence
  from lake.coverage
  where dataset = 'resolutions'
  group by source
),
known as (
  select r.*, coalesce(p.precedence, 0) as precedence
  from lake.resolutions r
  left join preference p on p.source = r.source
  where r.ts <= (select as_of from core.clock)
)
select market_id, ts, venue, payouts, status, tx, source
from known
qualify precedence = max(precedence) over (partition by market_id)
