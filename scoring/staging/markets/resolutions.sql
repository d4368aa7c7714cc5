-- A market's final payout vector, as known at the clock; a correction is a later row. If two sources have the same
-- market, the preferred one counts. No trader can redeem before the payout is reported. If a source does not give the
-- time of the report, the first redemption in the market is the time of its first row.
-- columns: market_id, ts; venue, payouts DECIMAL(9,6)[], status, tx?, source
with redeemed as (
  select market_id, min(ts) as first_at
  from lake.activity
  where kind = 'redeem'
  group by market_id
),
timed as (
  select
    r.* replace (
      case
        when row_number() over (partition by r.market_id, r.source order by r.ts) = 1 then least(r.ts, d.first_at)
        else r.ts
      end as ts
    ),
    coalesce(p.precedence, 0) as precedence
  from lake.resolutions r
  left join staging.precedences p on p.dataset = 'resolutions' and p.source = r.source
  left join redeemed d on d.market_id = r.market_id
),
known as (
  select *
  from timed
  where ts <= (select as_of from core.clock)
),
preferred as (
  select *
  from known
  qualify precedence = max(precedence) over (partition by market_id)
)
-- A market whose closing hour was corrected upstream is in the units of both hours.
select market_id, ts, venue, payouts, status, tx, source
from preferred
qualify row_number() over (partition by market_id, ts order by source, payouts, tx) = 1
