-- The fees of each month and venue, and their share of the takers' volume.
--
-- `estimated_usd` is the part that follows from the market's fee schedule, where the venue reports no fee.
select
  f.venue,
  date_trunc('month', f.ts)::date as month,
  sum(f.fee_usd) as fee_usd,
  coalesce(sum(f.fee_usd) filter (where f.is_fee_estimated), 0) as estimated_usd,
  round(sum(f.fee_usd) / nullif(sum(f.cash_usd) filter (where f.role = 'taker'), 0), 6) as fee_share
from core.fills f
group by f.venue, month
order by month, f.venue;
