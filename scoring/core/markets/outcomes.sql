-- An outcome of a market, its token and, after the resolution, the payout of a share.
-- columns: market_id, outcome; token_id, label, payout?
with payouts as (
  select market_id, arg_max(payouts, ts) as payouts
  from staging.resolutions
  group by market_id
),
numbered as (
  select market_id, labels, token_ids, unnest(range(len(token_ids))) as outcome
  from staging.markets
)
select
  n.market_id,
  n.outcome,
  n.token_ids[n.outcome + 1] as token_id,
  coalesce(n.labels[n.outcome + 1], '') as label,
  p.payouts[n.outcome + 1] as payout
from numbered n
left join payouts p on p.market_id = n.market_id
